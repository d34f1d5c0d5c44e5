import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { startDatabase } from '../start-database.js';
import type { LoopDelays } from './loop-watch.js';
import type { WatchReport } from './serve-watched.js';

/**
 * Uploads large photos (40 unless the first argument says otherwise), eight at a time, and prints how late the event loop of the
 * service was meanwhile, and how long small requests took; before that the same without uploads.
 */
const count = Number(process.argv[2] ?? 40);
const atOnce = 8;

const photo = await drawPhoto();
console.log(`${String(count)} JPEGs of 4000x3000 and ${(photo.length / 1e6).toFixed(1)} MB, ${String(atOnce)} at a time`);
const mongo = await startDatabase('ephemeral');
const service = fork(path.join(import.meta.dirname, 'serve-watched.ts'), [mongo.uri]);
service.once('exit', (code) => {
  if (code !== 0) process.exit(1);
});
try {
  const ready = await nextReport(service);
  if (ready.kind === 'ready') await measureAll(ready.url);
} finally {
  service.disconnect();
  await once(service, 'exit');
  await mongo.stop();
}

async function measureAll(url: string): Promise<void> {
  // Loads what the first upload loads.
  await upload(url);
  await measure('alone', url, () => delay(5_000));
  await measure('while images are made', url, () => uploadAll(url));
}

/** Sends small requests one after the other until the work is done. */
async function measure(title: string, url: string, work: () => Promise<unknown>): Promise<void> {
  await readDelays();
  const latencies: number[] = [];
  let working = true;
  const asking = (async () => {
    for (; working; await delay(10)) latencies.push(await timeRequest(`${url}/api/upload/files?limit=5`));
  })();
  const started = performance.now();
  await work();
  const seconds = (performance.now() - started) / 1_000;
  working = false;
  await asking;
  const { p99, max, maxWork } = await readDelays();
  const sorted = latencies.sort((a, b) => a - b);
  const quantile = (share: number): string => print(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  console.log(`${title}: ${seconds.toFixed(1)} s`);
  console.log(`  event loop: p99 ${print(p99)}, longest delay ${print(max)}, most work at a time ${print(maxWork)}`);
  console.log(`  ${String(sorted.length)} small requests: p50 ${quantile(0.5)}, p99 ${quantile(0.99)}, longest ${quantile(1)}`);
}

function print(milliseconds: number): string {
  return `${milliseconds.toFixed(1)} ms`;
}

async function timeRequest(address: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(address);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${address} -> ${String(response.status)}`);
  return performance.now() - started;
}

async function uploadAll(url: string): Promise<void> {
  let left = count;
  const client = async (): Promise<void> => {
    while (left-- > 0) await upload(url);
  };
  await Promise.all(Array.from({ length: atOnce }, client));
}

async function upload(url: string): Promise<void> {
  const form = new FormData();
  form.append('files', new Blob([photo], { type: 'image/jpeg' }), 'photo.jpg');
  const response = await fetch(`${url}/api/upload`, { method: 'POST', body: form });
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
}

async function readDelays(): Promise<LoopDelays> {
  service.send('read');
  const report = await nextReport(service);
  if (report.kind === 'delays') return report;
  throw new Error('the service has started twice');
}

async function nextReport(child: ChildProcess): Promise<WatchReport> {
  // The service sends nothing else.
  const [report] = (await once(child, 'message')) as [WatchReport];
  return report;
}

/** Soft noise, which comes to a few megabytes as photos do, turned as cameras do. */
function drawPhoto(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 25 } as const;
  return sharp({ create: { width: 3000, height: 4000, channels: 3, background: '#808080', noise } })
    .blur(1)
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 90 })
    .toBuffer();
}

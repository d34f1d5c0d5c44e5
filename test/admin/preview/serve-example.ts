import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Dependencies, installPackages } from '#admin/front-end/install-packages.js';
import { packageRoot } from '#base/package-root.js';

/** How an example is built, and started afterwards. Words are those of a command of its packages, or of node. */
interface Commands {
  readonly build: readonly string[];
  readonly start: readonly string[];
}

/** The examples of front ends that show drafts, by the name of their folder in `examples/previews`. */
export const examples: Readonly<Record<'next' | 'astro' | 'nuxt', Commands>> = {
  next: { build: ['node_modules/.bin/next', 'build'], start: ['node_modules/.bin/next', 'start'] },
  astro: { build: ['node_modules/.bin/astro', 'build'], start: [process.execPath, 'dist/server/entry.mjs'] },
  nuxt: { build: ['node_modules/.bin/nuxt', 'build'], start: [process.execPath, '.output/server/index.mjs'] },
};

/** Returns a port of this machine that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Builds an example next to its packages, which are installed once, in the cache. Returns its folder. */
export async function buildExample(name: keyof typeof examples): Promise<string> {
  const example = join(packageRoot, 'examples/previews', name);
  const { dependencies } = JSON.parse(await readFile(join(example, 'package.json'), 'utf8')) as { dependencies: Dependencies };
  const folder = await installPackages(`preview-${name}`, dependencies, console.warn);
  await cp(example, folder, { recursive: true });
  const built = run(folder, examples[name].build, {});
  const [code] = (await once(built.process, 'close')) as [number];
  if (code !== 0) throw new Error(`${name} was not built:\n${built.output()}`);
  return folder;
}

/** Starts an example that was built, and waits until it answers. Returns what ends it. */
export async function startExample(name: keyof typeof examples, folder: string, { port, api }: Place): Promise<() => void> {
  const settings = { PORT: String(port), HOST: '127.0.0.1', HOSTNAME: '127.0.0.1' };
  const started = run(folder, examples[name].start, { ...settings, MANGROVE_URL: api, NUXT_MANGROVE_URL: api });
  while ((await fetch(`http://127.0.0.1:${String(port)}/`).catch(() => null)) === null) {
    if (started.process.exitCode !== null) throw new Error(`${name} has ended:\n${started.output()}`);
    await pause(100);
  }
  return () => started.process.kill();
}

/** Returns the page of an article as a browser gets it that has opened the address of a preview. */
export async function openDraft(origin: string, id: number, token: string): Promise<Page> {
  const opened = await fetch(`${origin}/api/preview?article=${String(id)}&previewToken=${token}`, { redirect: 'manual' });
  const cookie = opened.headers.getSetCookie().map((one) => one.split(';')[0]);
  const page = await fetch(`${origin}/articles/${String(id)}`, { headers: { cookie: cookie.join('; ') } });
  return { status: page.status, headers: page.headers, text: await page.text() };
}

interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Place {
  readonly port: number;
  /** The address of the service. */
  readonly api: string;
}

function run(cwd: string, [command = '', ...words]: readonly string[], settings: Readonly<Record<string, string>>): Running {
  const own = {
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    NUXT_TELEMETRY_DISABLED: '1',
    ASTRO_TELEMETRY_DISABLED: '1',
  };
  const child = spawn(command, words, {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '', ...own, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (output = `${output}${bytes.toString()}`.slice(-4_000)));
  return { process: child, output: () => output };
}

interface Running {
  readonly process: ChildProcess;
  /** What it has written last. */
  readonly output: () => string;
}

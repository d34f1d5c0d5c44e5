import { spawn } from 'node:child_process';
import path from 'node:path';

/** Passed and all cases of one area. */
export interface AreaResult {
  readonly passed: number;
  readonly total: number;
}

export interface Replay {
  readonly exitCode: number;
  readonly areas: ReadonlyMap<string, AreaResult>;
}

export interface ReplayOptions {
  readonly directory: string;
  /** Instead of the directory's golden/. */
  readonly golden: string | undefined;
  /** Areas, `area/name prefix`, `-q`: passed on unchanged. */
  readonly selection: readonly string[];
}

/** Runs the replayer of the recordings against a server, shows what it prints, and reads its table of areas. */
export async function replay(url: string, { directory, golden, selection }: ReplayOptions): Promise<Replay> {
  const env = { ...process.env, BASE_URL: url, ...(golden === undefined ? {} : { GOLDEN: path.resolve(golden) }) };
  const replayer = spawn(process.execPath, [path.join(directory, 'replay.mjs'), ...selection], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  replayer.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    output += text;
  });
  const exitCode = await new Promise<number>((resolve, reject) => {
    replayer.once('error', reject).once('close', (code) => {
      resolve(code ?? 1);
    });
  });
  return { exitCode, areas: readAreas(output) };
}

/** The lines `area  passed/total` under the table's heading. */
function readAreas(output: string): ReadonlyMap<string, AreaResult> {
  const table = output.slice(output.lastIndexOf('\narea '));
  const rows = table.matchAll(/^(\S+) +(\d+)\/(\d+)$/gm);
  return new Map([...rows].map(([, area = '', passed, total]) => [area, { passed: Number(passed), total: Number(total) }]));
}

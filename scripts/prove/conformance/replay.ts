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
  /** The cases whose answers differ, as `area/name`. */
  readonly failed: readonly string[];
}

export interface ReplayOptions {
  readonly directory: string;
  /** Instead of the directory's golden/. */
  readonly golden: string | undefined;
  /** The setup.json that holds the administrators whom cases log in; the directory's by default. */
  readonly setupFile: string | undefined;
  /** Areas and `area/name prefix`, passed on unchanged. */
  readonly selection: readonly string[];
  /** Whether only the figures are shown. */
  readonly isQuiet: boolean;
}

/** Runs the replayer of the recordings against a server, shows what it prints, and reads its differences and its table of areas. */
export async function replay(url: string, { directory, golden, setupFile, selection, isQuiet }: ReplayOptions): Promise<Replay> {
  const env = {
    ...process.env,
    BASE_URL: url,
    ...(golden !== undefined && { GOLDEN: path.resolve(golden) }),
    ...(setupFile !== undefined && { SETUP: path.resolve(setupFile) }),
  };
  const replayer = spawn(process.execPath, [path.join(directory, 'replay.mjs'), ...selection], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  replayer.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (!isQuiet) process.stdout.write(text);
    output += text;
  });
  const exitCode = await new Promise<number>((resolve, reject) => {
    replayer.once('error', reject).once('close', (code) => {
      resolve(code ?? 1);
    });
  });
  const table = output.slice(output.lastIndexOf('\narea '));
  if (isQuiet) process.stdout.write(table);
  const failed = [...output.matchAll(/^FAIL (.+)$/gm)].map(([, name = '']) => name);
  return { exitCode, areas: readAreas(table), failed };
}

/** The lines `area  passed/total` under the table's heading. */
function readAreas(table: string): ReadonlyMap<string, AreaResult> {
  const rows = table.matchAll(/^(\S+) +(\d+)\/(\d+)$/gm);
  return new Map([...rows].map(([, area = '', passed, total]) => [area, { passed: Number(passed), total: Number(total) }]));
}

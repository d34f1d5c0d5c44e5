import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { program } from '../../support/program.js';

/** The processes that a process of Linux has started. */
const childrenOf = async (pid: number): Promise<readonly number[]> =>
  (await readFile(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8')).split(' ').filter(Boolean).map(Number);

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('WORKERS=2', function () {
  if (process.platform !== 'linux') return;
  let directory: string;
  let database: FreshDatabase;
  let service: ChildProcess;
  let url: string;
  const lines: string[] = [];
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-workers-'));
    database = await freshDatabase();
    const env = { ...process.env, MONGODB_URI: database.uri, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: '0', WORKERS: '2' };
    const secrets = { JWT_SECRET: 'j'.repeat(32), API_TOKEN_SALT: 's'.repeat(32), ADMIN_TOKEN: 'a'.repeat(32) };
    service = spawn(process.execPath, [...(await program()), 'start'], {
      cwd: directory,
      env: { ...env, ...secrets },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output = createInterface({ input: service.stdout ?? process.stdin });
    await new Promise<void>((resolve) =>
      output.on('line', (line) => {
        lines.push(line);
        if (line === '2 processes serve') resolve();
      }),
    );
    const started = lines.find((line) => line.includes('"started"')) ?? '{}';
    url = (JSON.parse(started) as { readonly url: string }).url;
  });
  after(async () => {
    service.kill('SIGKILL');
    await database.drop();
    await rm(directory, { recursive: true });
  });

  const ask = async (path: string): Promise<number> =>
    (await fetch(`${url}${path}`, { headers: { connection: 'close' } })).status;
  const workers = () => childrenOf(service.pid ?? 0);
  const workersUntil = async (isWanted: (pids: readonly number[]) => boolean): Promise<readonly number[]> => {
    for (;;) {
      const pids = await workers();
      if (isWanted(pids)) return pids;
      await nextTurn();
    }
  };

  it('two processes serve one port, and one of them prints the start message', async () => {
    expect(await workers()).to.have.length(2);
    for (let times = 0; times < 6; times += 1) expect(await ask('/_health/ready')).to.equal(200);
    expect(lines.filter((line) => line.includes('"started"'))).to.have.length(1);
  });

  it('one that is killed is replaced, while the other serves', async () => {
    const [first = 0, second = 0] = await workers();
    process.kill(first, 'SIGKILL');
    await workersUntil((pids) => !pids.includes(first));
    expect(await ask('/_health')).to.equal(204);
    const replaced = await workersUntil((pids) => pids.length === 2);
    expect(replaced).to.include(second);
  });

  it('SIGTERM ends all of them', async () => {
    const pids = await workers();
    service.kill('SIGTERM');
    const [code] = (await once(service, 'exit')) as [number | null];
    expect(code).to.equal(0);
    expect(pids.filter(isAlive)).to.deep.equal([]);
  });
});

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { packageRoot } from '#base/package-root.js';
import { program } from '../support/program.js';
import { compose, substituted } from './compose-file.js';
import { freePort, type Members, startMembers } from './members.js';

/** Runs a program. This process goes on meanwhile, because it reads the logs of the members. */
const runFile = promisify(execFile);

const names = ['JWT_SECRET', 'API_TOKEN_SALT', 'ADMIN_TOKEN', 'ADMIN_JWT_SECRET', 'MONGO_PASSWORD', 'MONGO_ROOT_PASSWORD'];
const secrets = Object.fromEntries(names.map((name) => [name, randomBytes(32).toString('hex')]));
const values: Readonly<Record<string, string>> = { ...secrets, DOMAIN: 'api.example.org' };

/** An instance of the service, as compose.yaml starts it. */
interface Instance {
  readonly child: ChildProcess;
  readonly env: NodeJS.ProcessEnv;
  readonly url: string;
}

/** The parts of compose.yaml without containers: what each runs, with its environment, on this machine. */
describe('the parts of compose.yaml', function () {
  this.timeout(180_000);
  let members: Members;
  let words: readonly string[];
  const directory = mkdtempSync(join(tmpdir(), 'mangrove-compose-'));
  const instances: Instance[] = [];

  before(async () => {
    words = await program();
    members = await startMembers(values['MONGO_ROOT_PASSWORD'] ?? '');
  });
  after(async () => {
    for (const { child } of instances) child.kill('SIGKILL');
    await members.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Returns the environment of a service, in which names of members are their addresses here. */
  const environmentOf = (name: string): Record<string, string> => {
    const written = Object.entries(compose.services[name]?.environment ?? {});
    const here = (value: string): string =>
      value.replaceAll(/mongo([123])(:27017)?\b/g, (_, index: string) => members.hosts[Number(index) - 1] ?? '');
    return Object.fromEntries(written.map(([key, value]) => [key, here(substituted(value, values))]));
  };

  for (const time of ['once', 'again'])
    it(`form the replica set ${time}`, async () => {
      const [command = '', file = ''] = compose.services['replica-set']?.command ?? [];
      const [source = ''] = (compose.services['replica-set']?.volumes?.[0] ?? '').split(':');
      expect(source.endsWith(file)).to.equal(true);
      const env = { ...process.env, ...environmentOf('replica-set') };
      const { stdout } = await runFile(command, [source], { cwd: packageRoot, env });
      expect(stdout).to.include('are ready');
    });

  it('start two instances, which see each other', async () => {
    for (const name of ['mangrove1', 'mangrove2']) instances.push(await startInstance(name));
    for (const instance of instances) await until(() => isReady(instance));
    const headers = { authorization: `Bearer ${values['ADMIN_TOKEN'] ?? ''}` };
    for (const { url } of instances) {
      const answer = await fetch(`${url}/admin/api/status`, { headers });
      const { data } = (await answer.json()) as {
        readonly data: { readonly instances: readonly { readonly instance: string }[] };
      };
      expect(new Set(data.instances.map(({ instance }) => instance)).size).to.equal(2);
    }
  });

  it('are fit for production, says the doctor', async () => {
    const [{ env } = { env: {} }] = instances;
    const { stdout } = await runFile(process.execPath, [...words, 'doctor', '--json'], { cwd: directory, env });
    const { checks } = JSON.parse(stdout) as { readonly checks: readonly { readonly state: string; readonly name: string }[] };
    expect(checks.filter(({ state }) => state === 'problem' || state === 'unknown')).to.deep.equal([]);
    expect(checks.find(({ name }) => name === 'replica-set')).to.include({ state: 'ok' });
  });

  it('stop within the time that containers have', async () => {
    const time = 1_000 * Number.parseInt(compose.services['mangrove1']?.stop_grace_period ?? '');
    for (const { child } of instances.splice(0)) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = (await Promise.race([ended, delay(time, [null])])) as [number | null];
      expect(code).to.equal(0);
    }
  });

  async function startInstance(name: string): Promise<Instance> {
    const port = String(await freePort());
    const env = { ...process.env, NODE_ENV: 'production', ...environmentOf(name), PORT: port, HOST: '127.0.0.1' };
    const child = spawn(process.execPath, [...words, 'start'], { cwd: directory, env, stdio: ['ignore', 'ignore', 'inherit'] });
    return { child, env, url: `http://127.0.0.1:${port}` };
  }

  const isReady = ({ url }: Instance): Promise<boolean> =>
    fetch(`${url}/_health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );

  async function until(condition: () => Promise<boolean>): Promise<void> {
    const end = Date.now() + 60_000;
    while (!(await condition())) {
      if (Date.now() > end) throw new Error('this takes too long');
      await delay(100);
    }
  }
});

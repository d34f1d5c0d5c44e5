import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { loadDemo } from '#operate/cli/load-demo.js';
import { loadConfig } from '#settings/load-config.js';
import { packageRoot } from '#base/package-root.js';
import { demoFolder, readDemo } from '../operate/cli/demo/read-demo.js';
import { drawNoise } from '../media/draw.js';
import { runCli } from '../support/run-cli.js';
import { serveModels, type Serving } from '../support/serve.js';
import { readCurl } from './read-curl.js';
import { isShown, type Example } from './read-page.js';
import { runProgram } from './run-program.js';

const secrets = {
  ADMIN_TOKEN: 'admin-token-of-the-tests-0123456789abcdef',
  API_TOKEN_SALT: 'salt-of-the-tests-0123',
  JWT_SECRET: 'jwt-secret-of-the-tests-0123456789abcdef',
};

/** The demo, served over a database and a working directory of its own, for the examples of pages. */
export interface ServedPage {
  readonly run: (example: Example) => Promise<void>;
  readonly serving: Serving;
  readonly stop: () => Promise<void>;
}

/** Serves the demo. `open`: whether everybody may do everything. */
export async function servePage(open: boolean): Promise<ServedPage> {
  const directory = await mkdtemp(path.join(tmpdir(), 'mangrove-docs-'));
  const serving = await serveModels({
    models: [],
    config: {
      api: { open },
      admin: { token: secrets.ADMIN_TOKEN, apiToken: { salt: secrets.API_TOKEN_SALT } },
      plugins: {
        'users-permissions': { config: { jwtSecret: secrets.JWT_SECRET, ratelimit: { enabled: false } } },
        email: { config: { providerOptions: { jsonTransport: true } } },
      },
    },
  });
  await fillDemo(serving, path.join(directory, 'demo'));
  const variables = new Map(Object.entries(secrets));
  const place = { directory, serving, variables };
  return {
    serving,
    run: (example) => runExample(example, place),
    stop: async () => {
      await serving.stop();
      await rm(directory, { recursive: true });
    },
  };
}

/** Loads the demo with pictures that take no time to draw. */
async function fillDemo({ server: { config, backend, media }, settled }: Serving, folder: string): Promise<void> {
  await cp(demoFolder, folder, { recursive: true });
  const bytes = await drawNoise(4, 4, 'jpeg');
  for (const { name } of readDemo().pictures) await writeFile(path.join(folder, 'files', name), bytes);
  if (backend === null) throw new Error('the test database did not answer');
  await loadDemo({ config, backend, media }, folder);
  await settled();
}

interface Place {
  readonly directory: string;
  readonly serving: Serving;
  /** The values of `$NAME` in commands; `KEY` and `JWT` are the last ones shown. */
  readonly variables: Map<string, string>;
}

async function runExample(example: Example, place: Place): Promise<void> {
  switch (example.kind) {
    case 'file':
      return writeShown(example.file, example.text, place);
    case 'program':
      expect(await runProgram(example, { directory: place.directory, url: place.serving.server.url })).to.equal(example.output);
      return;
    case 'graphql':
      return expectAnswer(await ask(place, '/graphql', postJson({ query: example.query })), example.answer, place);
    case 'request':
      return expectAnswer(await sendCurl(example.words, place), example.answer, place);
    case 'command':
      return runCommand(example.words, place);
    case 'mongosh':
      return runMongosh(example.code, place);
  }
}

async function writeShown(file: string, text: string, { directory }: Place): Promise<void> {
  const target = path.join(directory, file);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, text);
  if (file.startsWith('config/')) await loadConfig({ directory, environment: 'development', variables: {} });
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function ask({ serving }: Place, target: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(serving.server.url + target, init);
  return { status: response.status, text: await response.text() };
}

const postJson = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** An answer that is not shown succeeds; an error that is shown has its status. */
function expectAnswer({ status, text }: Answer, shown: unknown, { variables }: Place): void {
  const { jwt, refreshToken, ...body } = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
  if (typeof jwt === 'string') variables.set('JWT', jwt);
  if (typeof refreshToken === 'string') variables.set('REFRESH_TOKEN', refreshToken);
  const expected = (shown as { error?: { status?: number } } | undefined)?.error?.status ?? 200;
  expect([expected, 201, 204], text).to.include(status);
  if (shown === undefined) expect(body, text).not.to.have.property('errors');
  else if (!isShown(shown, JSON.parse(text))) expect(JSON.parse(text)).to.deep.equal(shown);
}

async function sendCurl(words: readonly string[], place: Place): Promise<Answer> {
  const { path: target, options } = await readCurl(words.map((word) => expand(word, place)));
  return ask(place, target, options);
}

const expand = (word: string, { variables }: Place): string =>
  word.replaceAll(/\$([A-Z_]+)\b/g, (whole, name: string) => variables.get(name) ?? whole);

const scripts = Object.keys(
  (JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8')) as { scripts: object }).scripts,
);

/** Runs the commands of the program, which work on the database. Of those that npm runs, the script must exist; no others may be shown. */
async function runCommand(words: readonly string[], place: Place): Promise<void> {
  const [program, command = '', script = '', ...args] = words.filter((word) => !/^[A-Z_]+=/.test(word));
  if (program === 'git' || program === 'cd') return;
  expect(['npm', 'npx']).to.include(program);
  if (program === 'npm' && command !== 'install') expect(scripts).to.include(command === 'run' ? script : command);
  if (program === 'npm' || command !== 'mangrove' || script === 'start') return;
  const env = { ...secrets, MONGODB_URI: place.serving.database.uri, NODE_ENV: 'development' };
  const { stdout, stderr, exitCode } = await runCli(script, args, { directory: place.directory, env });
  // an import that leaves something out
  expect(exitCode, stderr).to.equal(/^(skipped|not imported) /m.test(stdout) ? 2 : 0);
  if (/^[0-9a-f]{256}$/.test(stdout)) place.variables.set('KEY', stdout);
  await place.serving.settled();
}

/** Runs what a page shows for mongosh, over the driver. */
async function runMongosh(code: string, { serving }: Place): Promise<void> {
  const db = new Proxy({}, { get: (_, name) => serving.database.db.collection(String(name)) });
  await new Function('db', `return ${code}`)(db);
  await serving.settled();
}

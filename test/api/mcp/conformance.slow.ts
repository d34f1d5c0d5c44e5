import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { adminToken } from '../../content/rights/serve-accounts.js';
import { collectionType } from '../../support/collection-type.js';
import { serveProject, type ServedProject } from '../../support/serve-project.js';

/** The package, which `npx` fetches: it has more than a hundred packages of its own, so that it is no dependency. */
const program = '@modelcontextprotocol/conformance@0.2.0-alpha.12';

/** Why a check of the package says nothing about this endpoint. */
const reasons = {
  content:
    'asks for a tool or prompt with images, sounds or embedded resources: answers here are structured content and its text',
  resource: 'asks for a resource of a scheme of its own: those here are types and entries',
  client: 'asks for a tool that asks the client, or reports or logs to it: tools here do not',
  capability: 'asks for a capability that the endpoint does not state',
  sessions: 'asks for what needs sessions, which there are none of',
} as const;

type Expected = Readonly<Record<string, string>>;

const ofBoth: Expected = {
  'completion-complete/completion-complete': reasons.capability,
  'tools-call-image/tools-call-image': reasons.content,
  'tools-call-audio/tools-call-audio': reasons.content,
  'tools-call-embedded-resource/tools-call-embedded-resource': reasons.content,
  'tools-call-mixed-content/tools-call-mixed-content': reasons.content,
  'tools-call-with-progress/tools-call-with-progress': reasons.client,
  'resources-read-text/resources-read-text': reasons.resource,
  'resources-read-binary/resources-read-binary': reasons.resource,
  'resources-templates-read/resources-templates-read': reasons.resource,
  'prompts-get-embedded-resource/prompts-get-embedded-resource': reasons.content,
  'prompts-get-with-image/prompts-get-with-image': reasons.content,
};

/** The checks that fail, by the revision whose requirements are checked. */
const expected: Readonly<Record<string, Expected>> = {
  '2026-07-28': {
    ...ofBoth,
    'server-stateless/sep-2575-server-rejects-undeclared-capability': reasons.client,
    'server-stateless/sep-2575-missing-capability-http-400': reasons.client,
    'server-stateless/sep-2575-http-server-no-independent-requests-on-stream': reasons.client,
    'server-stateless/sep-2575-server-no-log-without-loglevel': reasons.client,
    'input-required-result-basic-elicitation/sep-2322-elicitation-incomplete': reasons.client,
    'input-required-result-basic-list-roots/sep-2322-list-roots-incomplete': reasons.client,
    'input-required-result-basic-sampling/sep-2322-sampling-incomplete': reasons.client,
    'input-required-result-capability-check/sep-2322-respect-client-capabilities': reasons.client,
    'input-required-result-multi-round/sep-2322-multi-round-r1': reasons.client,
    'input-required-result-multiple-input-requests/sep-2322-multiple-inputs-incomplete': reasons.client,
    'input-required-result-non-tool-request/sep-2322-non-tool-incomplete': reasons.client,
    'input-required-result-request-state/sep-2322-request-state-incomplete': reasons.client,
    'input-required-result-result-type/sep-2322-result-type-included': reasons.client,
    'input-required-result-tampered-state/sep-2322-reject-tampered-state': reasons.client,
  },
  '2025-11-25': {
    ...ofBoth,
    'logging-set-level/logging-set-level': reasons.capability,
    'resources-subscribe/resources-subscribe': reasons.sessions,
    'resources-unsubscribe/resources-unsubscribe': reasons.sessions,
    'tools-call-with-logging/tools-call-with-logging': reasons.client,
    'tools-call-sampling/tools-call-sampling': reasons.client,
    'tools-call-elicitation/tools-call-elicitation': reasons.client,
    'elicitation-sep1034-defaults/elicitation-sep1034-general': reasons.client,
    'elicitation-sep1330-enums/elicitation-sep1330-general': reasons.client,
  },
};

/** Scenarios that no revision scores: an extension that the endpoint does not state, and tools whose arguments are headers too. */
const unscored = (scenario: string): boolean => scenario.startsWith('tasks-') || scenario.startsWith('http-custom-header-');

const files = {
  'src/index.js': `const { ApplicationError } = require('@strapi/utils').errors;
const address = { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } };
module.exports = { register({ strapi }) {
  globalThis.projectStrapi = strapi;
  const tool = (name, handler, inputSchema = { type: 'object', properties: {} }) =>
    strapi.ai.mcp.registerTool(name, { title: name, description: name, inputSchema }, handler);
  tool('test_simple_text', () => 'This is a simple text response for testing.');
  tool('test_error_handling', () => { throw new ApplicationError('This tool intentionally returns an error for testing'); });
  tool('json_schema_2020_12_tool', () => null, {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' }, contactMethod: { type: 'string', enum: ['phone', 'email'] }, phone: { type: 'string' }, email: { type: 'string' } },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  });
} };`,
};

const argument = (name: string) => ({ name, description: name, required: true });
const prompts = [
  { name: 'test_simple_prompt', description: 'A prompt', template: 'This is a simple prompt for testing.' },
  {
    name: 'test_prompt_with_arguments',
    description: 'A prompt',
    template: "Prompt with arguments: arg1='{{arg1}}', arg2='{{arg2}}'",
    arguments: [argument('arg1'), argument('arg2')],
  },
];
const texts = {
  name: { type: 'string' },
  description: { type: 'string' },
  template: { type: 'text' },
  arguments: { type: 'json' },
};

/** The package wants Node.js 22 for a command that is not used here. */
const withoutGlob = `import { register } from 'node:module';
register('data:text/javascript,' + encodeURIComponent(\`export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.includes('/conformance/dist/')) return loaded;
  return { ...loaded, source: String(loaded.source).replace(/globSync as \\\\w+,/, '') };
}\`));`;

/** Starts a server that hands requests on with a token, because the package sends none. */
async function withToken(target: string, token: string) {
  const { hostname, port } = new URL(target);
  const proxy = createServer((incoming, answer) => {
    const { method, url: path, headers } = incoming;
    const authorized = { ...headers, authorization: `Bearer ${token}` };
    const sent = request({ hostname, port, method, path, headers: authorized }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(answer);
    });
    answer.on('close', () => sent.destroy());
    sent.on('error', () => answer.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port: own } = proxy.address() as AddressInfo; // of a port
  return { url: `http://127.0.0.1:${String(own)}`, stop: () => void proxy.close(() => undefined) };
}

interface Check {
  readonly id: string;
  readonly status: string;
}

/** Runs the scenarios that a revision requires. Returns their checks by scenario. */
async function run(url: string, revision: string): Promise<ReadonlyMap<string, readonly Check[]>> {
  const directory = await mkdtemp(join(tmpdir(), 'mangrove-conformance-'));
  const parameters = ['server', '--url', `${url}/mcp`, '--requirements', revision, '--output-dir', directory];
  const env = { ...process.env, NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(withoutGlob)}` };
  const child = spawn('npx', ['--yes', program, ...parameters], { stdio: 'ignore', env, cwd: tmpdir() });
  await new Promise((resolve) => child.once('exit', resolve));
  const checks = new Map<string, readonly Check[]>();
  for (const name of await readdir(directory)) {
    const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    checks.set(scenario, JSON.parse(await readFile(join(directory, name, 'checks.json'), 'utf8')) as Check[]); // as the package writes them
  }
  await rm(directory, { recursive: true });
  return checks;
}

describe('the conformance package of the Model Context Protocol', () => {
  let serving: ServedProject;
  let proxy: Awaited<ReturnType<typeof withToken>>;

  before(async () => {
    // a service for the public refuses pages that its own network does not serve; others need a token, which no such page has
    const mcp = { enabled: true, public: true, prompts: 'api::prompt.prompt' };
    const config = { api: { mcp }, admin: { token: adminToken } };
    serving = await serveProject(files, { models: [collectionType('prompt', texts)], config });
    for (const data of prompts) expect((await serving.call('POST', '/api/prompts', { data })).status).to.equal(200);
    const { url } = serving.server;
    const made = await fetch(`${url}/admin/api/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'conformance', type: 'full-access' }),
    });
    const { data } = (await made.json()) as { readonly data: { readonly accessKey: string } };
    proxy = await withToken(url, data.accessKey);
  });
  after(async () => {
    proxy.stop();
    await serving.stop();
  });

  for (const [revision, failures] of Object.entries(expected))
    it(`finds nothing in what ${revision} requires but what does not apply`, async () => {
      const checks = await run(proxy.url, revision);
      const all = [...checks].filter(([scenario]) => !unscored(scenario));
      const failed = all.flatMap(([scenario, made]) =>
        made.filter(({ status }) => status === 'FAILURE').map(({ id }) => `${scenario}/${id}`),
      );
      expect(failed.sort()).to.deep.equal(Object.keys(failures).sort());
      const passed = all.flatMap(([, made]) => made.filter(({ status }) => status === 'SUCCESS'));
      expect(passed.length).to.be.greaterThan(revision === '2026-07-28' ? 90 : 30);
    });
});

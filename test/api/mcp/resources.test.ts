import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { collectionType } from '../../support/collection-type.js';

const models = [
  collectionType('note', { text: { type: 'string' } }),
  collectionType('secret', { text: { type: 'string' } }),
  collectionType('prompt', {
    name: { type: 'string' },
    description: { type: 'string' },
    template: { type: 'text' },
    arguments: { type: 'json' },
  }),
];
const actions = ['note', 'prompt'].flatMap((name) => ['find', 'findOne'].map((action) => `api::${name}.${name}.${action}`));

describe('an agent', () => {
  let server: ServingAccounts;
  let client: Client;

  before(async () => {
    server = await serveAccounts({ models, config: { api: { mcp: { enabled: true, prompts: 'api::prompt.prompt' } } } });
    const key = async (type: string, more: object = {}): Promise<string> =>
      (await server.admin('POST', '/tokens', { name: type, type, ...more })).body.data.accessKey;
    const loader = await key('full-access');
    await server.as(loader, 'POST', '/api/notes', { data: { text: 'first' } });
    await server.as(loader, 'POST', '/api/secrets', { data: { text: 'hidden' } });
    const asked = [{ name: 'topic', description: 'What it is about', required: true }, { name: 'tone' }];
    const prompt = {
      name: 'draft',
      description: 'Writes a draft',
      template: 'Write about {{topic}}, {{ tone }}.',
      arguments: asked,
    };
    await server.as(loader, 'POST', '/api/prompts', { data: prompt });
    client = new Client({ name: 'reader', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    const headers = { authorization: `Bearer ${await key('custom', { permissions: actions })}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.server.url}/mcp`), { requestInit: { headers } }));
  });
  after(async () => {
    await client.close();
    await server.stop();
  });

  const read = async (uri: string): Promise<unknown> => {
    const { contents } = await client.readResource({ uri });
    const [first] = contents as readonly { readonly text: string }[]; // all resources are texts
    return JSON.parse(first?.text ?? '');
  };

  it('lists the types that it may read as resources', async () => {
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).to.deep.equal([
      'mangrove://types',
      'mangrove://types/note',
      'mangrove://types/prompt',
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).to.include('mangrove://{type}/{id}');
  });

  it('reads types and entries', async () => {
    expect(await read('mangrove://types'))
      .to.have.property('types')
      .with.length(2);
    expect(await read('mangrove://types/note')).to.have.nested.property('schema.properties.text.kind', 'string');
    expect(await read('mangrove://note/1')).to.have.nested.property('entry.text', 'first');
  });

  for (const uri of [
    'mangrove://secret/1',
    'mangrove://types/secret',
    'mangrove://note/99',
    'mangrove://note/x',
    'file:///etc/passwd',
  ])
    it(`is refused ${uri}`, async () => {
      expect(await client.readResource({ uri }).catch((error: unknown) => error)).to.be.instanceOf(Error);
    });

  it('finds the prompts that editors have written', async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts).to.deep.equal([
      {
        name: 'draft',
        description: 'Writes a draft',
        arguments: [{ name: 'topic', description: 'What it is about', required: true }, { name: 'tone' }],
      },
    ]);
    const { messages } = await client.getPrompt({ name: 'draft', arguments: { topic: 'tea', tone: 'short' } });
    expect(messages).to.deep.equal([{ role: 'user', content: { type: 'text', text: 'Write about tea, short.' } }]);
    const failed = await client.getPrompt({ name: 'draft', arguments: {} }).catch(String);
    expect(failed).to.contain('Missing arguments: topic');
    const long = await client.getPrompt({ name: 'draft', arguments: { topic: 'x'.repeat(50_000) } }).catch(String);
    expect(long).to.contain('api.mcp.maxBytes');
    expect(await client.getPrompt({ name: 'other' }).catch(String)).to.contain('Unknown prompt: other');
  });
});

import { expect } from 'chai';
import ts from 'typescript';
import { printTypes } from '#api/openapi/print-types.js';
import { fullAccess } from '#model/query/access.js';
import { defaultModelSettings } from '#model/schema/build-content-type.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { draftsOption } from '#model/schema/drafts-beside.js';
import { collectionType } from '../support/collection-type.js';
import { createProject, type ClientProject } from './client-project.js';

const title = { title: { type: 'string', required: true } };
const models = [
  collectionType('page', title, { options: { draftAndPublish: true, drafts: 'beside' } }),
  collectionType('note', title, { options: { draftAndPublish: true } }),
];

const head = `import { createClient } from 'mangrove/client';
import type { ContentTypes } from './types.js';
const client = createClient<ContentTypes>({ url: '' });
`;

const right = `${head}
export async function write(): Promise<string> {
  const { data } = await client.update('pages', 1, { title: 'x' }, { status: 'draft' });
  const draft: string | null = data.attributes.title;
  const published: string = (await client.update('pages', 1, { title: 'x' }, { status: 'published' })).data.attributes.title;
  const plain: string = (await client.update('notes', 1, { title: 'x' }, { fields: 'title' })).data.attributes.title;
  await client.create('pages', { title: 'x' }, { status: 'draft', fields: ['title'] });
  await createClient({ url: '' }).update('any', 1, {}, { status: 'draft' });
  return [draft, published, plain].join();
}
`;

const wrong: Readonly<Record<string, string>> = {
  "is not assignable to type 'Status | undefined'": "client.update('pages', 1, {}, { status: 'modified' })",
  "Type 'string' is not assignable to type 'undefined'": "client.update('notes', 1, {}, { status: 'draft' })",
  "is possibly 'null'": "(await client.update('pages', 1, {}, { status: 'draft' })).data.attributes.title.length",
};

describe('the types of a client for drafts beside published entries', () => {
  let project: ClientProject;
  before(async () => {
    const { registry } = buildRegistry(models, { ...defaultModelSettings, options: [draftsOption] });
    const lines = Object.values(wrong).map((line, index) => `export const a${String(index)} = async () => ${line};`);
    const files = { 'types.ts': printTypes(registry, fullAccess), 'right.ts': right, 'wrong.ts': head + lines.join('\n') };
    project = await createProject(files);
  });
  after(() => project.remove());

  it('have status on writes of these types alone, and drafts that lack values', () => {
    const { ModuleKind, ModuleResolutionKind } = ts;
    const options = { module: ModuleKind.Node16, moduleResolution: ModuleResolutionKind.Node16, lib: ['lib.es2022.d.ts'] };
    const messages = project.compile(['right.ts', 'wrong.ts'], options);
    expect(messages.filter((message) => !message.startsWith('wrong.ts'))).to.eql([]);
    expect(messages).to.have.length(Object.keys(wrong).length);
    for (const [index, part] of Object.keys(wrong).entries()) expect(messages[index]).to.include(part);
  });
});

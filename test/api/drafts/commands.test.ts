import { expect } from 'chai';
import type { Document } from 'mongodb';
import { openAdministrators, type PanelSender } from '../../support/administrators.js';
import { collectionType } from '../../support/collection-type.js';
import { commandsDuring } from '../../support/explain.js';
import { serveModels, type Serving } from '../../support/serve.js';

const relation = (kind: string, target: string, more: object = {}) => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...more,
});
const title = { type: 'string', index: true };

const models = (options: object) => [
  collectionType('note', { title }),
  collectionType('essay', { title, note: relation('manyToOne', 'note') }, { options: { draftAndPublish: true } }),
  collectionType(
    'story',
    { title, note: relation('manyToOne', 'note'), page: relation('manyToOne', 'page') },
    { options: { draftAndPublish: true } },
  ),
  collectionType('page', { title, note: relation('manyToOne', 'note') }, { options: { draftAndPublish: true, ...options } }),
];

const rows = (values: object) =>
  Array.from({ length: 30 }, (_, index) => ({ _id: index + 1, title: `t ${String(index)}`, ...values }));
const now = new Date();
const documents = () => ({
  notes: rows({}),
  essays: rows({ note: 2, publishedAt: null }),
  storys: rows({ note: 2, page: 3, publishedAt: now }),
  pages: rows({ note: 2, publishedAt: now }),
});

const preview = 'publicationState=preview';
const panel = '/content-manager/collection-types/api::';
const list = 'query($state: PublicationState) { storys(publicationState: $state) { data { id attributes { title } } } }';

/** Reads that see no drafts of pages. */
const unconcerned: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['GET', `/api/notes?${preview}&sort=title`],
  ['GET', `/api/storys?${preview}&filters[note][title]=t 1&populate=note&sort=note.title&pagination[withCount]=true`],
  ['GET', `/api/storys?${preview}&facets=title&pagination[pageSize]=5`],
  ['GET', `/api/storys/count?${preview}&filters[title][$gt]=t`],
  ['GET', `/api/storys/aggregate?${preview}&groupBy=note&aggregate[max]=title`],
  ['GET', `/api/storys/1?${preview}&populate=note`],
  ['GET', `${panel}essay.essay?page=1&pageSize=10&sort=title:ASC`],
  ['GET', `${panel}note.note?page=1&pageSize=10&_q=t`],
  ['GET', '/api/pages?populate=*&filters[note][title]=t 1&sort=note.title&pagination[pageSize]=5'],
  ['GET', '/api/pages/1?populate=note'],
  ['GET', '/api/storys?populate=page&filters[page][title][$ne]=x'],
  ['POST', '/graphql', { query: list, variables: { state: 'PREVIEW' } }],
  ['POST', '/graphql', { query: '{ page(id: 1) { data { id } } pages { data { attributes { title } } } }' }],
];

/** Reads that see them, which send one or two commands more than without drafts. */
const concerned: readonly string[] = [
  `/api/pages?${preview}`,
  `/api/storys?${preview}&populate=page`,
  `/api/storys?${preview}&filters[page][title]=draft`,
  `/api/storys?${preview}&sort=page.title`,
  `/api/storys/aggregate?${preview}&groupBy=page.title&aggregate[count]=*`,
];

/** The parts of a command that are others each time. */
const varying: ReadonlySet<string> = new Set(
  'lsid $db $clusterTime $readPreference txnNumber comment maxTimeMS startTransaction autocommit'.split(' '),
);

interface Served {
  readonly serving: Serving;
  readonly send: PanelSender;
}

const serve = async (options: object): Promise<Served> => {
  const serving = await serveModels({
    models: models(options),
    documents: documents(),
    config: { admin: { rateLimit: { enabled: false } } },
  });
  return { serving, send: await openAdministrators(serving, {}) };
};

describe('the commands of reads while drafts are stored', () => {
  let plain: Served;
  let beside: Served;

  before(async () => {
    [plain, beside] = [await serve({}), await serve({ drafts: 'beside' })];
    const saved = await beside.serving.call('PUT', '/api/pages/3?status=draft', { data: { title: 'draft', note: 4 } });
    expect(saved.status, JSON.stringify(saved.body)).to.equal(200);
    await Promise.all([plain.serving.settled(), beside.serving.settled()]);
  });

  after(() => Promise.all([plain, beside].map(({ serving }) => serving.stop())));

  const commandsOf = async (
    { serving, send }: Served,
    method: string,
    path: string,
    body?: object,
  ): Promise<readonly Document[]> => {
    const request = () => send(path.startsWith('/content-manager') ? 'super' : '', method, path, body);
    const answer = await request();
    expect([answer.status, (answer.body as { errors?: unknown }).errors], JSON.stringify(answer.body)).to.eql([200, undefined]);
    const { commands } = await commandsDuring(
      serving.server.backend?.store.database.client,
      ['find', 'aggregate', 'count'],
      request,
    );
    return commands.map((command) => Object.fromEntries(Object.entries(command).filter(([name]) => !varying.has(name))));
  };

  for (const [method, path, body] of unconcerned)
    it(`are those of a service without drafts: ${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`, async () => {
      const before = await commandsOf(plain, method, path, body);
      expect(await commandsOf(beside, method, path, body)).to.eql(before);
    });

  for (const path of concerned)
    it(`are one more if drafts may be shown: ${path}`, async () => {
      const names = (commands: readonly Document[]) => commands.length;
      const before = names(await commandsOf(plain, 'GET', path));
      expect(names(await commandsOf(beside, 'GET', path))).to.be.within(before + 1, before + 2);
    });
});

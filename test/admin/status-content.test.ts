import { expect } from 'chai';
import { openAdministrators } from '../support/administrators.js';
import { serveModels, storeModels, type Serving } from '../support/serve.js';
import { script, statusModels } from './status-models.js';
import { openStatus, storeRules, type ReadStatus } from './open-status.js';

const escaped = script.replace(/[<>]/g, (character) => `&#${String(character.charCodeAt(0))};`);

describe('what the status pages show', () => {
  let serving: Serving;
  let other: Serving;
  let read: ReadStatus;
  before(async () => {
    const config = { admin: { rateLimit: { enabled: false } } };
    serving = await serveModels({ models: statusModels, config });
    other = await serveModels({ models: [], config, database: serving.database });
    await openAdministrators(serving, {});
    await storeRules(serving);
    const ran = new Date('2026-02-03T09:05:00Z');
    await serving.database.db.collection<{ _id: string; until: Date; ran?: Date }>('_claims').insertMany([
      { _id: `job tidy ${script}`, until: ran, ran },
      { _id: 'job index', until: new Date(Date.now() + 600_000), ran },
      { _id: 'first administrator', until: new Date(Date.now() + 600_000) },
    ]);
    read = await openStatus(serving);
  });
  after(async () => {
    await other.stop();
    await serving.stop();
  });

  const shown: readonly (readonly [page: string, ...texts: string[]])[] = [
    [
      'models',
      `Note ${escaped}`,
      'collection type api::note.note',
      ' refused, 1 missing.',
      'The stored model is refused. There was none before.',
      'Other models name it, and it does not exist.',
      'api::lonely.lonely.far',
      `nonsense ${escaped}`,
      `attributes.a${escaped}: the name must match`,
      'GraphQL schema',
    ],
    [
      'instances',
      '2 instances of the service',
      'is from this instance',
      'heard at once',
      '<dt>Refused</dt>',
      '<dd>2 models</dd>',
      `tidy ${escaped}`,
      'last run 2026-02-03 09:05:00 UTC',
      'runs now',
    ],
    [
      'rules?role=1',
      'Authenticated',
      '<code>{&#34;owner&#34;:{&#34;id&#34;:{&#34;$eq&#34;:&#34;$user.id&#34;}}}</code>',
      '<dd>secret</dd>',
      '<dd>findOne</dd>',
      'The service is open',
    ],
  ];
  for (const [page, ...texts] of shown)
    it(`are the contents of ${page}, without any markup of values`, async () => {
      const text = await read(page);
      for (const one of texts) expect(text).to.contain(one);
      expect(text).not.to.contain('<script');
    });

  describe('of many models', () => {
    before(async () => {
      const many = Array.from({ length: 55 }, (_, index) => ({
        uid: `many.part${String(index)}`,
        info: { displayName: `Part ${String(index)}` },
        attributes: { text: { type: 'string' } },
      }));
      await storeModels(serving.database, many);
      await serving.settled();
    });

    for (const [query, shownPage] of [
      ['', 'Page 1 of 3'],
      ['?page=3', 'Page 3 of 3'],
      ['?page=9999999999999999999999', 'Page 1 of 3'],
      ['?page=9', 'Page 3 of 3'],
      ['?page=-1', 'Page 1 of 3'],
      ['?page=1&page=2', 'Page 1 of 3'],
      ['?page[$gt]=x', 'Page 1 of 3'],
    ] as const)
      it(`are pages: models${query} is ${shownPage}`, async () => {
        const text = await read(`models${query}`);
        expect(text).to.contain(shownPage);
        expect(text.split('<article>').length - 1).to.be.within(1, 25);
      });

    it('are found by as many commands for many models as for one', async () => {
      for (const [page, most] of [
        ['models', 3],
        ['instances', 3],
        ['rules', 3],
      ] as const) {
        await read(page);
        const { commands } = await serving.countCommands(() => read(page));
        expect(commands.length, `${page}: ${commands.join()}`).to.be.at.most(most);
      }
    });
  });
});

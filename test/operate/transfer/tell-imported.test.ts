import { expect } from 'chai';
import { createWebhook, type WebhookValues } from '#api/webhooks/write-webhooks.js';
import type { TransferRecord } from '#operate/transfer/source.js';
import { cutShort, importAll, inFresh, sourceOf } from './importing.js';

const uid = 'api::thing.thing';
const schema = {
  ...{ uid, kind: 'collectionType', collectionName: 'things' },
  info: { singularName: 'thing', pluralName: 'things', displayName: 'thing' },
  attributes: { title: { type: 'string' } },
};
const things = [1, 2, 3].map((id): TransferRecord => ({ stage: 'entities', type: uid, id, data: { title: 'x' }, bytes: 100 }));
const source = sourceOf([{ stage: 'schemas', schema, bytes: 100 }, ...things]);

const webhooks: Readonly<Record<string, WebhookValues>> = {
  'of all types': { events: ['entry.create'] },
  'of the type': { events: ['entry.create', 'entry.update'], types: [uid] },
  'of another type': { events: ['entry.create'], types: ['api::other.other'] },
  'of other events': { events: ['entry.update'] },
  'that is disabled': { events: ['entry.create'], isEnabled: false },
  'of a role that sees none': { events: ['entry.create'], role: 'public' },
  'of a role that is gone': { events: ['entry.create'], role: 'gone' },
};

describe('the webhooks of an import', () => {
  it('are told once of each entry that they may see, also if it was interrupted', async () => {
    await inFresh(async (context, { db }) => {
      for (const [name, values] of Object.entries(webhooks))
        await createWebhook({ name, url: 'https://example.org', format: 'strapi', ...values }, context.store);
      await importAll(cutShort(source, 'entities', 2), context).catch(() => undefined);
      await importAll(source, context);
      const told = await db.collection('_webhook_deliveries').find().sort({ webhook: 1, key: 1 }).toArray();
      const ids = ['1', '2', '3'].map((id) => `${uid} ${id}`);
      expect(told.map(({ webhook, type, key }) => [webhook, type, key] as const)).to.deep.equal(
        [1, 2].flatMap((webhook) => ids.map((key) => [webhook, 'entry.create', key])),
      );
      expect(JSON.parse(String(told[0]?.['body']))).to.deep.include({ event: 'entry.create', model: 'thing', uid });
    });
  });
});

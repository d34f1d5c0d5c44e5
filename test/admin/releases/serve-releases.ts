import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { adminToken } from '../../content/rights/serve-accounts.js';
import { type Administrators, openAdministrators, type PanelSender } from '../../support/administrators.js';
import { collectionType } from '../../support/collection-type.js';
import type { FreshDatabase } from '../../support/mongo.js';
import { type Answer, serveModels, type Serving, type ServingInput } from '../../support/serve.js';

export const story = 'api::story.story';
export const page = 'api::page.page';
export const plain = 'api::plain.plain';

const drafts = { options: { draftAndPublish: true, history: {} } };

/** A type with a required text, another one with drafts, and one without. */
export const models = [
  collectionType(
    'story',
    { title: { type: 'string' }, text: { type: 'text', required: true }, count: { type: 'integer' } },
    drafts,
  ),
  collectionType('page', { title: { type: 'string' } }, drafts),
  collectionType('plain', { title: { type: 'string' } }),
];

/** A service with administrators and releases. */
export interface ServingReleases {
  readonly serving: Serving;
  readonly database: FreshDatabase;
  readonly send: PanelSender;
  /** Sends a request with the admin token of the configuration. */
  readonly admin: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Creates a draft, and returns its id. */
  readonly draft: (uid: string, values?: object) => Promise<number>;
  /** Makes a release, and returns it. */
  readonly release: (as: string, body: object) => Promise<Answer['body']>;
  /** Returns the publication state of entries: `published`, `draft` or `gone`. */
  readonly states: (...entries: readonly (readonly [uid: string, id: number])[]) => Promise<readonly string[]>;
  /** Returns a release when it meets a condition. */
  readonly until: (id: number, isMet: (release: Answer['body']) => boolean) => Promise<Answer['body']>;
}

export async function serveReleases(
  administrators: Administrators = {},
  input: Partial<ServingInput> = {},
): Promise<ServingReleases> {
  const admin = { rateLimit: { enabled: false }, token: adminToken, audit: { days: 30 } };
  const serving = await serveModels({ models, ...input, config: { webhooks: { allowPrivate: true }, ...input.config, admin } });
  const send = await openAdministrators(serving, administrators);
  const database = serving.database;
  const pathOf = (uid: string) => `/content-manager/collection-types/${uid}`;
  const draft = async (uid: string, values: object = { title: 'A title', text: 'A text' }): Promise<number> => {
    const { status, body } = await send('super', 'POST', pathOf(uid), values);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.id as number;
  };
  const release = async (as: string, body: object) => {
    const answer = await send(as, 'POST', '/admin/api/releases', body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body.data as Answer['body'];
  };
  return {
    ...{ serving, database, send, draft, release },
    admin: (method, path, body) => sendAsAdmin(serving.server.url, { method, path, body }),
    states: (...entries) =>
      Promise.all(
        entries.map(async ([uid, id]) => {
          const { status, body } = await send('super', 'GET', `${pathOf(uid)}/${String(id)}`);
          return status === 404 ? 'gone' : body.publishedAt === null ? 'draft' : 'published';
        }),
      ),
    until: async (id, isMet) => {
      for (;;) {
        const { body } = await send('super', 'GET', `/admin/api/releases/${String(id)}`);
        if (isMet(body.data)) return body.data as Answer['body'];
        await delay(50);
      }
    },
  };
}

async function sendAsAdmin(
  url: string,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body: unknown },
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${adminToken}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

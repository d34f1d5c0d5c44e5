import { mkdtemp, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FreshDatabase } from '../../support/mongo.js';
import { serveModels, type Serving, type TestModel } from '../../support/serve.js';

export const article: TestModel = {
  uid: 'api::article.article',
  kind: 'collectionType',
  collectionName: 'articles',
  info: { singularName: 'article', pluralName: 'articles', displayName: 'Article' },
  attributes: { title: { type: 'string', unique: true } },
};

/** A service that is fit for production, and its database. */
export interface FitService {
  readonly serving: Serving;
  readonly database: FreshDatabase;
  readonly directory: string;
  /** The environment variables of the service. */
  readonly env: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

const secret = (): string => randomBytes(32).toString('hex');

/** Starts a service on a database of its own, whose settings are safe. */
export async function startFit(): Promise<FitService> {
  const serving = await serveModels({ models: [article], documents: { articles: [{ _id: 1, title: 'Salt' }] } });
  const { database } = serving;
  const directory = await mkdtemp(join(tmpdir(), 'mangrove-doctor-'));
  const env = {
    NODE_ENV: 'production',
    MONGODB_URI: database.uri,
    JWT_SECRET: secret(),
    API_TOKEN_SALT: secret(),
    ADMIN_TOKEN: secret(),
    PUBLIC_URL: 'https://api.example.org',
    TRUST_PROXY: 'true',
  };
  const stop = async (): Promise<void> => {
    await serving.stop();
    await rm(directory, { recursive: true });
  };
  return { serving, database, directory, env, stop };
}

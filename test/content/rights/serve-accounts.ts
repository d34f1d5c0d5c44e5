import { hash } from 'bcrypt';
import { sendRequest } from '../../support/send-request.js';
import { serveModels, type Answer, type Serving, type ServingInput, type TestModel } from '../../support/serve.js';

export const jwtSecret = 'jwt-secret-of-the-tests-0123456789abcdef';
export const adminToken = 'admin-token-of-the-tests-0123456789abcdef';

/** A service that is not open, with requests that tests of accounts send. */
export interface ServingAccounts extends Serving {
  /** Sends a request with a token; null: without credentials. */
  readonly as: (
    token: string | null,
    method: string,
    path: string,
    body?: unknown,
  ) => Promise<Answer & { readonly headers: Headers }>;
  /** Sends a request to the admin API. */
  readonly admin: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Creates a user, and returns its id and token. */
  readonly addUser: (username: string, role?: number) => Promise<{ readonly id: number; readonly jwt: string }>;
}

const article: TestModel = {
  uid: 'api::article.article',
  kind: 'collectionType',
  collectionName: 'articles',
  info: { singularName: 'article', pluralName: 'articles', displayName: 'Article' },
  attributes: {
    title: { type: 'string' },
    price: { type: 'integer' },
    owner: { type: 'relation', relation: 'manyToOne', target: 'plugin::users-permissions.user' },
    notes: { type: 'relation', relation: 'oneToMany', target: 'api::note.note', mappedBy: 'article' },
    mentions: { type: 'relation', relation: 'morphMany', target: 'api::note.note', morphBy: 'about' },
    cover: { type: 'media', multiple: false },
  },
};

const note: TestModel = {
  uid: 'api::note.note',
  kind: 'collectionType',
  collectionName: 'notes',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
  attributes: {
    text: { type: 'string' },
    owner: { type: 'relation', relation: 'manyToOne', target: 'plugin::users-permissions.user' },
    article: { type: 'relation', relation: 'manyToOne', target: 'api::article.article', inversedBy: 'notes' },
    about: { type: 'relation', relation: 'morphToOne' },
  },
};

/** The models that are served unless others are given. */
export const accountModels: readonly TestModel[] = [article, note];

export const password = 'Passw0rd!';

export async function serveAccounts(input: Partial<ServingInput> = {}): Promise<ServingAccounts> {
  const { config = {}, models = accountModels } = input;
  const secrets = {
    token: adminToken,
    apiToken: { salt: 'salt-of-the-tests-0123' },
    ...(typeof config.admin === 'object' ? config.admin : {}),
  };
  const serving = await serveModels({
    ...input,
    models,
    config: {
      ...config,
      api: { open: false, ...config.api },
      plugins: {
        ...config.plugins,
        'users-permissions': config.plugins?.['users-permissions'] ?? {
          config: { jwtSecret, ratelimit: { enabled: false } },
        },
      },
      admin: secrets,
    },
  });
  const as: ServingAccounts['as'] = (token, method, path, body) => sendAs(token, method, `${serving.server.url}${path}`, body);
  const admin: ServingAccounts['admin'] = (method, path, body) => as(adminToken, method, `/admin/api${path}`, body);
  const addUser: ServingAccounts['addUser'] = async (username, role = 1) => {
    const made = await admin('POST', '/users', { username, email: `${username}@mail.test`, password, role, confirmed: true });
    const { body } = await as(null, 'POST', '/api/auth/local', { identifier: username, password });
    return { id: made.body.data.id, jwt: body.jwt };
  };
  return { ...serving, as, admin, addUser };
}

/** Sends a request with a token; null: without credentials. */
export async function sendAs(
  token: string | null,
  method: string,
  url: string,
  body?: unknown,
): Promise<Answer & { readonly headers: Headers }> {
  const sender = token === null ? {} : { authorization: `Bearer ${token}` };
  const { status, headers, text } = await sendRequest({ url, method, headers: sender, body });
  const isJson = headers.get('content-type')?.includes('json') === true;
  return { status, body: isJson ? JSON.parse(text) : text, headers };
}

/** Stores a user directly in the database. */
export const storedUser = async (id: number, username: string, values: object = {}): Promise<object> => ({
  _id: id,
  username,
  email: `${username}@mail.test`,
  provider: 'local',
  password: await hash(password, 4),
  confirmed: true,
  blocked: false,
  role: 1,
  createdAt: new Date(),
  updatedAt: new Date(),
  ...values,
});

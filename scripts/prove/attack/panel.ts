import type { Attack, Hit } from './attack.js';
import type { Target } from './target.js';

/** `admin.rateLimit.max` of the attacked service. */
export const mostLogIns = 20;

/** Who sends a request: an administrator by name, or `nobody`. */
export type Sender = 'super' | 'writer' | 'reader' | 'manager' | 'nobody';

export interface PanelAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** A request as one text, such as `POST /admin/login`. */
export type PanelRequest = `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`;

/** The panel with some administrators. `ids` has an entry of the super admin (`memo`), one of the writer (`own`), users and roles. */
export interface Panel {
  readonly target: Target;
  readonly tokens: ReadonlyMap<string, string>;
  readonly ids: Readonly<Record<string, number>>;
  readonly ask: (as: Sender, request: PanelRequest, body?: unknown, headers?: Record<string, string>) => Promise<PanelAnswer>;
}

const password = 'Password1';
const memo = 'api::memo.memo';
export const memos = `/content-manager/collection-types/${memo}` as const;

const explorer = (action: string, fields: readonly string[] | null, more: object = {}): object => ({
  action: `plugin::content-manager.explorer.${action}`,
  subject: memo,
  properties: { locales: ['en'], ...(fields !== null && { fields }) },
  ...more,
});

const mine = { conditions: ['admin::is-creator'] };
const all = ['title', 'slug', 'shown', 'other', 'note'];

/** The permissions of administrators: the writer has own entries, the reader some fields, the manager other administrators. */
const roles: Readonly<Record<string, readonly object[]>> = {
  writer: [
    ...['create', 'read', 'update'].map((action) => explorer(action, all, action === 'create' ? {} : mine)),
    ...['delete', 'publish'].map((action) => explorer(action, null, mine)),
    ...['read', 'assets.update'].map((action) => ({ action: `plugin::upload.${action}`, ...mine })),
    { action: 'plugin::upload.assets.create' },
  ],
  reader: [explorer('read', ['title', 'shown', 'hidden.title', 'other'])],
  manager: [
    ...['users', 'roles'].flatMap((subject) =>
      ['create', 'read', 'update', 'delete'].map((action) => ({ action: `admin::${subject}.${action}` })),
    ),
    explorer('read', ['title']),
  ],
};

/** Sends a request, with the token of an administrator unless the headers have another one. */
export async function askPanel(
  { url }: Pick<Target, 'url'>,
  request: PanelRequest,
  {
    token = '',
    body,
    headers = {},
  }: { readonly token?: string; readonly body?: unknown; readonly headers?: Record<string, string> },
): Promise<PanelAnswer> {
  const [method = '', path = ''] = request.split(/ (.*)/s);
  const isText = typeof body === 'string' || body instanceof FormData;
  const answer = await fetchOrNull(`${url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(!(body instanceof FormData) && { 'content-type': 'application/json' }),
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
  });
  if (answer === null) return { status: 0, text: 'no answer', headers: new Headers() };
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

const fetchOrNull = (url: string, options: RequestInit): Promise<Response | null> => fetch(url, options).catch(() => null);

let opened: Promise<Pick<Panel, 'tokens' | 'ids'>> | null = null;

/** Registers the administrators once, also if the service is started again over the same database. */
export async function openPanel(target: Target): Promise<Panel> {
  const { tokens, ids } = await (opened ??= fillPanel(target));
  const ask: Panel['ask'] = (as, request, body, headers = {}) =>
    askPanel(target, request, { token: tokens.get(as) ?? '', body, headers });
  return { target, tokens, ids, ask };
}

/** Returns the data of an answer. Throws an Error if it is no success. */
function dataOf({
  status,
  text,
}: PanelAnswer): Readonly<Record<string, unknown>> & { readonly id: number; readonly token: string } {
  if (status === 0 || status > 201) throw new Error(`${String(status)} ${text.slice(0, 300)}`);
  const body = JSON.parse(text) as { readonly data?: unknown };
  return (body.data ?? body) as ReturnType<typeof dataOf>; // what the routes answer
}

async function fillPanel(target: Target): Promise<Pick<Panel, 'tokens' | 'ids'>> {
  const [tokens, ids] = [new Map<string, string>(), {} as Record<string, number>];
  const ask = async (as: string, request: PanelRequest, body: unknown) =>
    dataOf(await askPanel(target, request, { token: tokens.get(as) ?? '', body }));
  const person = (name: string): object => ({ email: `${name}@mail.test`, firstname: name });
  tokens.set('super', (await ask('', 'POST /admin/register-admin', { ...person('super'), password })).token);
  for (const [name, permissions] of Object.entries(roles)) {
    const { id } = await ask('super', 'POST /admin/roles', { name });
    await ask('super', `PUT /admin/roles/${String(id)}/permissions`, { permissions });
    const invited = await ask('super', 'POST /admin/users', { ...person(name), roles: [id] });
    const userInfo = { firstname: name, password };
    tokens.set(
      name,
      (await ask('', 'POST /admin/register', { registrationToken: invited['registrationToken'], userInfo })).token,
    );
    [ids[`${name} role`], ids[name]] = [id, invited.id];
  }
  const values = { title: 'memo', secret: 's3cret', shown: { title: 't', note: 'n' }, hidden: { title: 't', note: 's3cret' } };
  ids['memo'] = (await ask('super', `POST ${memos}`, values)).id;
  ids['own'] = (await ask('writer', `POST ${memos}`, { title: 'own' })).id;
  return { tokens, ids };
}

/** A request, and the statuses with which it may be answered. A text must be in the answer; one with `!` must not, which is a success. */
export type Try = readonly [
  as: Sender,
  request: PanelRequest,
  body: unknown,
  expected: number | readonly number[] | string | ((answer: PanelAnswer) => boolean),
  headers?: Record<string, string>,
];

export const isRefused = ({ status }: PanelAnswer): boolean => status >= 400 && status < 500;

const isExpected = (answer: PanelAnswer, expected: Try[3]): boolean => {
  if (typeof expected === 'function') return expected(answer);
  if (typeof expected === 'string')
    return expected.startsWith('!')
      ? answer.status < 300 && !answer.text.includes(expected.slice(1))
      : answer.text.includes(expected);
  return [expected].flat().includes(answer.status);
};

/** Sends a request of a table, and judges its answer. `{name}` stands for an id. */
export async function tryPanel({ ask, ids }: Panel, [as, request, body, expected, headers]: Try): Promise<Hit> {
  const filled = (text: string): string => text.replace(/"?\{([\w ]+)\}"?/g, (whole, name: string) => String(ids[name] ?? whole));
  const sent =
    body === undefined || body instanceof FormData ? body : typeof body === 'string' ? body : filled(JSON.stringify(body));
  const answer = await ask(as, filled(request) as PanelRequest, sent, headers);
  const { status, text } = answer;
  const isRight = status > 0 && status < 500 && isExpected(answer, typeof expected === 'string' ? filled(expected) : expected);
  const told = `${as}: ${request} ${typeof sent === 'string' ? sent.slice(0, 200) : ''} was answered ${String(status)} ${text.slice(0, 200)}`;
  return { status, bytes: text.length, achieved: isRight ? null : told };
}

/** An attack of requests that are tried one after the other. Each says what its answer must be. */
export const trying = (name: string, tries: readonly Try[] | ((panel: Panel) => readonly Try[])): Attack => ({
  name: `panel: ${name}`,
  run: async (target) => {
    const panel = await openPanel(target);
    const hits: Hit[] = [];
    for (const one of typeof tries === 'function' ? tries(panel) : tries) hits.push(await tryPanel(panel, one));
    return hits;
  },
  commands: 300,
  documents: 3_000,
});

import type { Attack, Hit } from './attack.js';
import { openActions } from './content.js';
import { askPanel, type PanelAnswer, type PanelRequest } from './panel.js';
import { get, many } from './send.js';
import type { Target } from './target.js';

const users = 'plugin::users-permissions.user';
const auth = ['register', 'callback', 'forgotPassword'].map((name) => `plugin::users-permissions.auth.${name}`);
const victim = 'victim@mail.test';
const password = 'Passw0rd!';

/** Changes something by the admin API. Throws an Error if that fails. */
async function admin({ adminToken, ...target }: Target, request: PanelRequest, body: object): Promise<void> {
  const { status, text } = await askPanel(target, request, { token: adminToken, body });
  if (status === 0 || status >= 300) throw new Error(`${request}: ${String(status)} ${text}`);
}

/** Opens registrations to everybody, and hides attributes of users and notes of others from users, during the work. */
async function withRules(target: Target, work: () => Promise<readonly Hit[]>): Promise<readonly Hit[]> {
  await admin(target, 'PUT /admin/api/roles/2', { actions: [...openActions, ...auth] });
  await admin(target, 'PUT /admin/api/roles/1', { actions: [`${users}.me`, 'api::note.note.find'] });
  await admin(target, 'PUT /admin/api/roles/1/rules', {
    rows: { 'api::note.note': { text: { $eq: '$user.email' } } },
    fields: { [users]: { deny: ['confirmed', 'provider'] } },
  });
  try {
    return await work();
  } finally {
    await admin(target, 'PUT /admin/api/settings', { advanced: { email_confirmation: false } });
    await admin(target, 'PUT /admin/api/roles/2', { actions: openActions });
  }
}

/** Judges an answer: a success that has none of the texts. */
const judged = ({ status, text }: PanelAnswer, ...hidden: readonly string[]): Hit => {
  const found = hidden.filter((one) => text.includes(one));
  const isRight = status === 200 && found.length === 0;
  return {
    status,
    bytes: text.length,
    achieved: isRight ? null : `${String(status)} with ${found.join(', ')}: ${text.slice(0, 200)}`,
  };
};

const register = (target: Target, name: string): Promise<PanelAnswer> =>
  askPanel(target, 'POST /api/auth/local/register', { body: { username: name, email: `${name}@mail.test`, password } });

/** Each way to a session, which shows attributes that a field rule hides, or entries of the owner of an address. */
const sessions = (target: Target): Promise<readonly Hit[]> =>
  withRules(target, async () => {
    const registered = await register(target, 'victim');
    const logIn = await askPanel(target, 'POST /api/auth/local', { body: { identifier: victim, password } });
    const { jwt } = JSON.parse(logIn.text) as { readonly jwt: string };
    const input = `identifier: "${victim}", password: "${password}"`;
    const query = `mutation { login(input: { ${input} }) { user { username confirmed } } }`;
    const overGraphql = await askPanel(target, 'POST /graphql', { body: { query } });
    await askPanel(target, 'POST /api/notes', { token: target.token, body: { data: { text: victim } } });
    const notes = await askPanel(target, 'GET /api/notes', { token: jwt });
    const hidden = ['"confirmed"', '"provider"'];
    return [
      ...[registered, logIn, await askPanel(target, 'GET /api/users/me', { token: jwt })].map((one) => judged(one, ...hidden)),
      judged(overGraphql, '"confirmed":true', '"confirmed":false'),
      // nobody has confirmed that the address belongs to the user
      judged(notes, victim),
    ];
  });

/** Registrations while the mail server does not answer: each is answered, and no account stays without an answer. */
const withoutMails = (target: Target): Promise<readonly Hit[]> =>
  withRules(target, async () => {
    await admin(target, 'PUT /admin/api/settings', { advanced: { email_confirmation: true } });
    const answers = await Promise.all(['ann', 'ben', 'cid'].map((name) => register(target, name)));
    return answers.map((answer) => judged(answer, '"jwt"'));
  });

const limits = { commands: 100, documents: 1_000 } as const;

/** Judges an answer by its status: another one says what a caller may no longer know. */
const judgedBy = ({ status, text }: PanelAnswer, expected: number): Hit => ({
  status,
  bytes: text.length,
  achieved: status === expected ? null : `${String(status)} instead of ${String(expected)}: ${text.slice(0, 200)}`,
});

/** Asks with the tag of an answer that the service knows, while the rights to that answer are taken one after the other. */
const withKeptTags = (target: Target): Promise<readonly Hit[]> =>
  withRules(target, async () => {
    await admin(target, 'PUT /admin/api/roles/1/rules', { fields: { [users]: { deny: ['provider'] } } });
    await askPanel(target, 'POST /api/notes', { token: target.token, body: { data: { text: 'kept' } } });
    const { jwt } = JSON.parse((await register(target, 'keeper')).text) as { readonly jwt: string };
    const ask = (tag: string): Promise<PanelAnswer> =>
      askPanel(target, 'GET /api/notes?fields=text', { token: jwt, headers: { 'if-none-match': tag } });
    const tag = (await ask('"none"')).headers.get('etag') ?? '';
    const known = await ask(tag);
    await admin(target, 'PUT /admin/api/roles/1/rules', { rows: { 'api::note.note': { text: { $ne: 'kept' } } } });
    const narrowed = await ask(tag);
    await admin(target, 'PUT /admin/api/roles/1', { actions: [`${users}.me`] });
    const taken = await ask(tag);
    return [judgedBy(known, 304), judged(narrowed, 'kept'), judgedBy(taken, 403), judgedBy(await ask('*'), 403)];
  });

/** Attacks on what rules hide and on answers that cost much, by users who register themselves. */
export const ruleAttacks: readonly Attack[] = [
  { name: 'accounts: sessions that show what rules hide', run: sessions, ...limits },
  { name: 'accounts: registrations while no mail server answers', run: withoutMails, ...limits },
  { name: 'tags of answers that rights no longer allow', run: withKeptTags, ...limits },
  {
    name: 'tags of thousands of different lists',
    run: many([20_000, 1_000], (n) => get(`/api/notes?pagination[pageSize]=1&x${String(n)}=${'y'.repeat(3_000)}`), 20),
    commands: 3,
    documents: 10,
  },
  {
    name: 'the OpenAPI document, many times',
    run: many([600, 100], () => get('/api/openapi.json'), 20),
    besides: [503],
    cpu: 15,
    commands: 1,
    documents: 1,
  },
];

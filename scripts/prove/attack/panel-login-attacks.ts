import { connect } from 'node:net';
import type { Attack, Hit } from './attack.js';
import { mostLogIns, openPanel, type Panel, type PanelAnswer, trying, tryPanel, type Try } from './panel.js';
import { statusOf } from './connection-attacks.js';
import { post, sendMany, times } from './send.js';
import type { Target } from './target.js';

const first = { email: 'afar@mail.test', firstname: 'Afar', password: 'Password1' };

/** What a proxy, a tunnel or the page of another site adds, also such that pretends to be local. */
const fromAfar: readonly Readonly<Record<string, string>>[] = [
  { 'x-forwarded-for': '127.0.0.1' },
  { forwarded: 'for=127.0.0.1;host=localhost' },
  { 'x-real-ip': '::1' },
  { via: '1.1 localhost' },
  { host: 'api.example.org' },
  { host: '127.0.0.1.example.org' },
  { origin: 'https://example.org' },
  { origin: 'null' },
];

/** HTTP/1.0 is what proxies send by default, with the host of the service and no header of their own. */
function sendOld({ port }: Target, path: string, body: string): Promise<Hit> {
  return new Promise((resolve) => {
    let answer = '';
    const head = [
      `POST ${path} HTTP/1.0`,
      'Host: localhost',
      'Content-Type: application/json',
      `Content-Length: ${String(body.length)}`,
    ];
    connect(port, '127.0.0.1')
      .on('data', (bytes: Buffer) => (answer += bytes.toString('latin1')))
      .on('error', () => undefined)
      .on('close', () => {
        resolve({ status: statusOf(answer), bytes: answer.length, refusal: answer });
      })
      .write([...head, '', body].join('\r\n'));
  });
}

/** Ten log-ins more than those that may be answered other than with a 429. */
const guesses = (name: string, most: number, bodyOf: (n: number) => object, path = '/admin/login'): Attack => ({
  name: `panel: ${name}`,
  run: async (target) => {
    const shots = times(most + 10, (n) => post(path, bodyOf(n), { 'x-forwarded-for': `10.0.0.${String(n % 250)}` }));
    const hits = await sendMany(target, shots, 10);
    const admitted = hits.filter(({ status }) => status !== 429).length;
    const achieved = admitted > most ? `${String(admitted)} attempts were not refused, ${String(most)} allowed` : null;
    return hits.map((hit, index) => ({ ...hit, achieved: index === 0 ? achieved : null }));
  },
  commands: 10,
  documents: 10,
});

const isAccepted = ({ status }: PanelAnswer): boolean => status === 200;

/** Tokens and cookies that open no routes but their own. */
function wrongTokens({ target, tokens }: Panel): readonly Try[] {
  const panel = { authorization: `Bearer ${tokens.get('super') ?? ''}` };
  const api = { authorization: `Bearer ${target.token}` };
  const admin = { authorization: `Bearer ${target.adminToken}` };
  const [head = '', body = ''] = (tokens.get('super') ?? '').split('.');
  const unsigned = { authorization: `Bearer ${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${body}.` };
  const cookies = { cookie: `jwtToken=${tokens.get('super') ?? ''}; token=${tokens.get('super') ?? ''}` };
  const inQuery = `?token=${tokens.get('super') ?? ''}&access_token=${tokens.get('super') ?? ''}`;
  const form = { ...cookies, 'content-type': 'application/x-www-form-urlencoded', origin: 'https://example.org' };
  const role = 'name=forged&description=forged';
  return [
    ['nobody', 'GET /api/articles', undefined, 401, panel],
    ['nobody', 'GET /api/users/me', undefined, 401, panel],
    ['nobody', 'GET /admin/api/status', undefined, [401, 429], panel],
    ['nobody', 'GET /admin/users/me', undefined, isAccepted, panel],
    ...([api, admin, unsigned, { authorization: `Bearer ${head}.${body}.x` }, {}, cookies] as const).flatMap(
      (headers): readonly Try[] => [
        ['nobody', 'GET /admin/users/me', undefined, 401, headers],
        ['nobody', 'GET /upload/files', undefined, 401, headers],
        ['nobody', 'POST /admin/roles', { name: 'forged' }, 401, headers],
      ],
    ),
    ['nobody', `GET /admin/users/me${inQuery}`, undefined, 401],
    ...[panel, api, admin, cookies, { cookie: `mangrove.status=${tokens.get('super') ?? ''}` }].map((headers): Try => [
      'nobody',
      'GET /_status/models',
      undefined,
      401,
      headers,
    ]),
    ['nobody', 'POST /_status/log-in', 'email=super%40mail.test&password=Password1', 403, form],
    ['nobody', 'POST /_status/log-out', '', 403, form],
    // what the page of another site can send without asking first
    ['nobody', 'POST /admin/roles', role, [400, 401, 415], form],
    ['nobody', 'POST /admin/roles', '{"name":"forged"}', [400, 401, 415], { ...form, 'content-type': 'text/plain' }],
    ['nobody', 'POST /admin/logout', role, 401, form],
    ['nobody', 'POST /upload', role, [400, 401, 415], form],
    ['nobody', 'DELETE /admin/users/1', undefined, 401, cookies],
    ['nobody', 'POST /admin/renew-token', { token: target.token }, [400, 429]],
    ['nobody', 'POST /admin/renew-token', { token: { $gt: '' } }, 400],
    ['nobody', 'POST /admin/register', { registrationToken: { $ne: null }, userInfo: first }, 400],
    ['nobody', 'POST /admin/reset-password', { resetPasswordToken: { $ne: null }, password: 'Password1' }, 400],
    ['nobody', 'GET /admin/registration-info?registrationToken[$ne]=x', undefined, 400],
    ['nobody', 'POST /admin/login', { email: { $ne: null }, password: { $ne: null } }, [400, 429]],
    ['super', 'GET /admin/roles', undefined, '!forged'],
  ];
}

/** Codes of one kind where another one, or a token, is wanted. */
async function tryCodes(panel: Panel): Promise<readonly Hit[]> {
  const roles = [panel.ids['reader role']];
  const invited = await panel.ask('super', 'POST /admin/users', { email: 'invited@mail.test', firstname: 'i', roles });
  const { id, registrationToken } = (JSON.parse(invited.text) as { data: { id: number; registrationToken: string } }).data;
  const bearer = { authorization: `Bearer ${registrationToken}` };
  const tries: readonly Try[] = [
    ['nobody', 'GET /admin/users/me', undefined, 401, bearer],
    ['nobody', 'POST /admin/renew-token', { token: registrationToken }, [400, 429]],
    ['nobody', 'POST /admin/reset-password', { resetPasswordToken: registrationToken, password: 'Password1' }, 400],
    ['nobody', 'POST /api/auth/local', { identifier: 'super@mail.test', password: 'Password1' }, [400, 403, 429]],
    ['super', `GET /admin/users/${String(id)}`, undefined, `!${registrationToken}`],
    ['super', `DELETE /admin/users/${String(id)}`, undefined, 200],
    ['nobody', `GET /admin/registration-info?registrationToken=${registrationToken}`, undefined, 400],
  ];
  const hits: Hit[] = [];
  for (const one of tries) hits.push(await tryPanel(panel, one));
  return hits;
}

/** Attacks by those who have no log-in. The registration of the first administrator comes before all others, which register some. */
export const panelLoginAttacks: readonly Attack[] = [
  {
    name: 'panel: the first administrator from afar',
    run: async (target) => [
      ...(await sendMany(
        target,
        fromAfar.map((headers) => post('/admin/register-admin', first, headers)),
        1,
      )),
      await sendOld(target, '/admin/register-admin', JSON.stringify(first)),
    ],
    refusedBy: 'is created on the machine of the service',
    commands: 20,
    documents: 50,
  },
  trying('tokens and cookies of other kinds', wrongTokens),
  { ...trying('codes of other kinds', []), run: async (target) => tryCodes(await openPanel(target)) },
  guesses('passwords for one administrator', mostLogIns, (n) => ({
    email: n % 2 === 0 ? 'super@mail.test' : 'SUPER@mail.test',
    password: `Wrong${String(n)}`,
  })),
  // the client has used up the others of its 40
  guesses('one password for many administrators', 40 - mostLogIns - 10, (n) => ({
    email: `user${String(n)}@mail.test`,
    password: 'Password1',
  })),
  guesses('codes by mail of many administrators', 40, (n) => ({ email: `user${String(n)}@mail.test` }), '/admin/forgot-password'),
];

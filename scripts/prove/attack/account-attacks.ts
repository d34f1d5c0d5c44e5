import type { Attack } from './attack.js';
import { many, post, type Shot } from './send.js';

/** Requests about accounts that are refused, all in the same way. */
interface Refused {
  readonly name: string;
  /** The n-th request. */
  readonly shot: (n: number) => Shot;
  readonly refusedBy: string;
  /** Statuses of requests that come after too many. */
  readonly besides?: readonly number[];
}

/** Headers by which a client pretends to be another one in each request. */
const from = (n: number): Readonly<Record<string, string>> => ({
  'x-forwarded-for': `10.0.${String(n >> 8)}.${String(n & 255)}`,
});

const wrongToken = { authorization: 'Bearer 0123456789abcdef' };

const rows: readonly Refused[] = [
  {
    name: 'wrong passwords for one account, from addresses that are made up',
    shot: (n) => post('/api/auth/local', { identifier: 'ann@mail.test', password: `wrong-${String(n)}` }, from(n)),
    refusedBy: 'Invalid identifier or password',
    besides: [429],
  },
  {
    name: 'codes by mail of a registered address, without the right',
    shot: () => post('/api/auth/forgot-password', { email: 'ann@mail.test' }),
    refusedBy: 'Forbidden',
    besides: [429],
  },
  {
    name: 'questions who is registered',
    shot: (n) => post('/api/auth/send-email-confirmation', { email: `user${String(n)}@mail.test` }),
    refusedBy: 'Forbidden',
    besides: [429],
  },
  {
    name: 'registrations that choose their role',
    shot: (n) =>
      post('/api/auth/local/register', {
        username: `user${String(n)}`,
        email: `user${String(n)}@mail.test`,
        password: 'Passw0rd!',
        role: 1,
        confirmed: true,
        provider: 'google',
      }),
    refusedBy: 'Forbidden',
    besides: [429],
  },
  {
    name: 'accounts that change how they log in',
    shot: () => ({ ...post('/api/users/1', { provider: 'google', email: 'ann@mail.test' }), method: 'PUT' }),
    refusedBy: 'Forbidden',
  },
  {
    name: 'other names for files of others',
    shot: () => post('/api/upload?id=1', { fileInfo: { name: 'mine' } }),
    refusedBy: 'Forbidden',
  },
  {
    name: 'wrong tokens of administrators',
    shot: () => ({ path: '/admin/api/status', headers: wrongToken }),
    refusedBy: 'Missing or invalid credentials',
    besides: [429],
  },
  {
    name: 'wrong tokens for the OpenAPI document',
    shot: () => ({ path: '/api/openapi.json', headers: wrongToken }),
    refusedBy: 'Missing or invalid credentials',
    besides: [429],
  },
];

/** Attacks on accounts by clients that have none. */
export const accountAttacks: readonly Attack[] = rows.map(({ name, shot, refusedBy, besides = [] }) => ({
  name: `accounts: ${name}`,
  run: many([300, 30], shot, 30),
  refusedBy,
  besides: [...besides, 503],
  commands: 10,
  documents: 10,
}));

import type { Attack, Hit } from './attack.js';
import { askPanel } from './panel.js';
import { post, send, type Shot } from './send.js';
import type { Target } from './target.js';

const most = 100;

const batch = (body: object, token?: string): Shot =>
  post('/api/batch', body, token === undefined ? {} : { authorization: `Bearer ${token}` });

const repeated = (count: number, item: object) => ({ requests: Array.from({ length: count }, () => item) });

const create = { method: 'POST', path: '/tags', body: { data: { name: 'Attacked' } } };

/** Batches of the public, which may write nothing: no write of them succeeds, whatever it follows. */
async function writePublicly(target: Target): Promise<readonly Hit[]> {
  const items = [
    create,
    { method: 'PUT', path: '/articles/1001', body: { data: { title: 'Attacked' } } },
    { method: 'DELETE', path: '/articles/1001' },
    { method: 'PUT', path: '/homepage', body: { data: { headline: 'Attacked' } } },
    { method: 'POST', path: '/articles/1001/localizations', body: { locale: 'fr', title: 'Attacked' } },
    { method: 'POST', path: '/users', body: { username: 'attacker', email: 'attacker@mail.test', password: 'Passw0rd!' } },
    { method: 'PUT', path: '/users-permissions/roles/2', body: {} },
    { method: 'POST', path: '/../admin/api/tokens', body: { name: 'x', type: 'full-access' } },
    { method: 'POST', path: '/batch', body: repeated(1, create) },
  ];
  const hits = [true, false].map(async (transaction): Promise<Hit> => {
    const { status, text } = await askPanel(target, 'POST /api/batch', { body: { transaction, requests: items } });
    const statuses = [...text.matchAll(/"status":(\d+),"body"/g)].map(([, found]) => found);
    const isRight = transaction ? status === 403 : status === 200 && statuses.every((one) => one === '403' || one === '400');
    return { status, bytes: text.length, achieved: isRight ? null : `${String(status)}: ${text.slice(0, 400)}` };
  });
  return Promise.all(hits);
}

const sending = (name: string, make: (target: Target) => Shot, rest: Omit<Attack, 'name' | 'run'>): Attack => ({
  name: `batch: ${name}`,
  run: async (target) => [await send(target, make(target))],
  ...rest,
});

const nothing = { commands: 10, documents: 100 } as const;

/** Attacks by batches: around rights, beyond the number of writes, with wrong bodies, and with answers that cost much. */
export const batchAttacks: readonly Attack[] = [
  { name: 'batch: writes of the public', run: writePublicly, ...nothing },
  sending('more writes than it may have', () => batch(repeated(15_000, create)), {
    refusedBy: 'at most 100 requests',
    ...nothing,
  }),
  sending('as many writes as it may have, of the public', () => batch(repeated(most, create)), nothing),
  sending(
    'writes that are wrong everywhere',
    () => batch(repeated(most, Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`x${String(n)}`, 1])))),
    {
      refusedBy: 'errors occurred',
      ...nothing,
    },
  ),
  sending(
    'answers that populate much',
    ({ token }) =>
      batch(
        { transaction: true, ...repeated(most, { method: 'PUT', path: '/authors/1001?populate=articles', body: { data: {} } }) },
        token,
      ),
    { refusedBy: 'api.limits', commands: 600, documents: 20_000 },
  ),
  sending(
    'the same without a transaction',
    ({ token }) => batch(repeated(most, { method: 'PUT', path: '/authors/1001?populate=articles', body: { data: {} } }), token),
    { commands: 600, documents: 20_000 },
  ),
  sending(
    'references to nothing',
    ({ token }) =>
      batch(
        repeated(most, { method: 'POST', path: '/articles', body: { data: { tags: Array<string>(900).fill('$99') } } }),
        token,
      ),
    { refusedBy: 'is not the number of an earlier request', ...nothing },
  ),
];

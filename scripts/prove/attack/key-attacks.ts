import { randomUUID } from 'node:crypto';
import type { Attack, Hit } from './attack.js';
import { askPanel, type PanelAnswer } from './panel.js';
import type { Target } from './target.js';

/** Keys that a caller may store (`api.idempotency.keys`), fewer than by default. */
export const mostKeys = 100;

const atOnce = 8;

/** Returns an API token that may do everything and has stored no keys. */
export async function newToken(target: Target): Promise<string> {
  const body = { name: `keys ${randomUUID()}`, type: 'full-access' };
  const { text } = await askPanel(target, 'POST /admin/api/tokens', { token: target.adminToken, body });
  return (JSON.parse(text) as { readonly data: { readonly accessKey: string } }).data.accessKey;
}

interface Writer {
  readonly target: Target;
  readonly token: string;
}

const create = ({ target, token }: Writer, key: string, text: unknown): Promise<PanelAnswer> =>
  askPanel(target, 'POST /api/notes', { token, body: { data: { text } }, headers: { 'idempotency-key': key } });

/** Sends writes with a new key each, some at a time. */
async function createMany(writer: Writer, count: number, text: unknown): Promise<PanelAnswer[]> {
  const answers: PanelAnswer[] = [];
  const client = async (): Promise<void> => {
    while (answers.length < count) answers.push(await create(writer, randomUUID(), text));
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  return answers;
}

const hit = ({ status, text }: PanelAnswer, wrong: string | null): Hit => ({
  status,
  bytes: text.length,
  achieved: wrong === null ? null : `${wrong}: ${String(status)} ${text.slice(0, 200)}`,
});

/** More keys than a caller may store. */
const growth = async (target: Target): Promise<readonly Hit[]> => {
  const answers = await createMany({ target, token: await newToken(target) }, 2 * mostKeys, 'attack');
  const stored = answers.filter(({ status }) => status === 200).length;
  const isBounded = stored >= mostKeys / 2 && stored <= 1.01 * mostKeys + atOnce;
  return answers.map((answer, index) =>
    hit(
      answer,
      index === 0 && !isBounded ? `${String(stored)} keys are stored` : [200, 429].includes(answer.status) ? null : 'answer',
    ),
  );
};

/** Writes that are refused: their keys must not be stored. */
const refused = async (target: Target): Promise<readonly Hit[]> => {
  const writer = { target, token: await newToken(target) };
  const answers = await createMany(writer, 2 * mostKeys, { not: 'a text' });
  const right = await create(writer, randomUUID(), 'attack');
  return [
    ...answers.map((answer) => hit(answer, answer.status === 400 ? null : 'stored')),
    hit(right, right.status === 200 ? null : 'refused'),
  ];
};

/** The key and the request of another caller, who is a token, a user or the public. */
const others = async (target: Target): Promise<readonly Hit[]> => {
  const key = randomUUID();
  const own = await create({ target, token: await newToken(target) }, key, 'secret of another');
  const attempts = [await newToken(target), target.token, ''].map((token) => create({ target, token }, key, 'secret of another'));
  return [
    hit(own, own.status === 200 ? null : 'refused'),
    ...(await Promise.all(attempts)).map((answer) => hit(answer, stolen(answer, own))),
  ];
};

const stolen = ({ headers, text }: PanelAnswer, own: PanelAnswer): string | null =>
  headers.has('idempotency-replayed') || text === own.text ? 'the answer of another caller' : null;

const limits = { commands: 20, documents: 300 } as const;

/** Attacks on the stored answers to writes with an Idempotency-Key. */
export const keyAttacks: readonly Attack[] = [
  { name: 'keys: more than a caller may store', run: growth, ...limits },
  { name: 'keys: of refused writes', run: refused, ...limits },
  { name: 'keys: of another caller', run: others, ...limits },
];

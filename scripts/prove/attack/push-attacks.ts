import { randomUUID } from 'node:crypto';
import type { Attack, Hit } from './attack.js';
import { newToken } from './key-attacks.js';
import type { Target } from './target.js';

/** Almost the maximum size of a JSON body. */
const mostBody = 1_000_000;

const text = (values: object): string =>
  JSON.stringify({ key: randomUUID(), op: 'update', type: 'leaves', id: 1_001, ...values });

const create = (values: object): string => text({ op: 'create', id: `$${randomUUID()}`, ...values });

/** A push of writes as JSON. */
const push = (...writes: readonly string[]): string => `{"writes":[${writes.join(',')}]}`;

/** Bodies that are sent with one token, so that it does not use up its keys. */
const ofOneToken = 40;

/** Sends bodies one after the other, as callers who may do everything, or as the public. Neither an answer nor a write has a 5xx. */
async function sendBodies(target: Target, bodies: readonly string[], isPublic: boolean): Promise<readonly Hit[]> {
  const hits: Hit[] = [];
  let token = '';
  for (const [index, body] of bodies.entries()) {
    if (!isPublic && index % ofOneToken === 0) token = await newToken(target);
    const { status, text } = await ask(target, body, token);
    const isWrong = status >= 500 || /"status":5\d\d/.test(text);
    hits.push({ status, bytes: text.length, achieved: isWrong ? `${String(status)}: ${text.slice(0, 400)}` : null });
  }
  return hits;
}

async function ask({ url }: Target, body: string, token = ''): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { 'content-type': 'application/json', ...(token !== '' && { authorization: `Bearer ${token}` }) };
  const response = await fetch(`${url}/api/sync/push`, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

const nested = (depth: number, open: string, close: string): string => `${open.repeat(depth)}1${close.repeat(depth)}`;

/** A write whose attribute is JSON that is not stringified here, because that would overflow the stack. */
const raw = (part: string, value: string): string => create({ set: {} }).replace('"set":{}', `"set":{"${part}":{"to":${value}}}`);

/** Bodies that are large, deep, or have keys of prototypes. */
const bodies = (): readonly string[] => [
  push(create({ set: { data: { to: 'x'.repeat(mostBody) } } })),
  push(...Array.from({ length: 100 }, () => create({ set: { data: { to: 'x'.repeat(9_500) } } }))),
  push(...Array.from({ length: 10_000 }, () => '{"key":"k","op":"delete"}')),
  push(create({ set: Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`x${String(n)}`, { to: 1 }])) })),
  push(text({ add: { others: Array.from({ length: 100_000 }, (_, n) => n + 1) } })),
  push(text({ add: { others: Array.from({ length: 1_000 }, (_, n) => `$a-name-of-nothing-${String(n)}`) } })),
  ...[1_000, 8_000, 50_000].flatMap((depth) => [
    push(raw('data', nested(depth, '[', ']'))),
    push(raw('others', nested(depth, '[', ']'))),
    push(raw('link', nested(depth, '{"a":', '}'))),
    push(nested(depth, '[', ']')),
  ]),
  ...['__proto__', 'constructor', 'prototype', 'toString', '$where', 'a.b', ''].flatMap((name) => [
    push(raw(name, '{"isAdmin":true}')),
    push(text({}).replace('{', `{"${name}":{"op":"delete"},`)),
    push(text({ increment: {} }).replace('"increment":{}', `"increment":{"${name}":1}`)),
    push(text({ add: {} }).replace('"add":{}', `"add":{"${name}":[1]}`)),
    push(raw('data', `{"${name}":{"${name}":1}}`)),
    push(text({ type: name })),
  ]),
];

const wrong: readonly unknown[] = [null, true, -1, 1e308, 0.5, '', 'x', [], [[]], {}, { $gt: '' }, { length: 5 }, '\u0000'];
const parts: Readonly<Record<string, readonly string[]>> = {
  set: ['title', 'count', 'large', 'data', 'link', 'others', 'createdAt', 'id'],
  increment: ['count', 'large', 'title'],
  add: ['others', 'title'],
  remove: ['others', 'link'],
};

/** Writes with values of wrong types at each place. */
const wrongTypes = (): readonly string[] =>
  wrong.flatMap((value) => [
    JSON.stringify(value),
    JSON.stringify({ writes: value }),
    push(JSON.stringify(value)),
    ...['key', 'op', 'type', 'id', 'locale', ...Object.keys(parts)].map((name) => push(text({ [name]: value }))),
    ...Object.entries(parts).flatMap(([part, names]) => names.map((name) => push(text({ [part]: { [name]: value } })))),
    ...(parts['set'] ?? []).flatMap((name) => [
      push(create({ set: { [name]: { to: value } } })),
      push(text({ set: { [name]: { from: value, to: value } } })),
      push(text({ op: 'delete', set: { [name]: { from: value } } })),
    ]),
  ]);

/** Pushes of the public, which may write nothing: all are answered alike, whether a type, an entry or a name exists. */
async function probe(target: Target): Promise<readonly Hit[]> {
  const name = `$${randomUUID()}`;
  const writes = [
    ...[1_001, 99_999_999, name].map((id) => text({ id, set: { title: { from: 'a', to: 'b' } } })),
    ...[1_001, 99_999_999].map((id) => text({ op: 'delete', id })),
    text({ add: { others: [name] } }),
    text({ set: { nothing: { to: 1 } } }),
    text({ type: 'articles' }),
    text({ type: 'nothing' }),
    create({ set: { title: { to: 'Attacked' } } }),
  ];
  const answers: { readonly status: number; readonly text: string }[] = [];
  for (const write of writes) answers.push(await ask(target, push(write)));
  const errors = answers.map(({ text: answer }) =>
    /"status":"refused".*"error":\{[^}]*\}/.exec(answer)?.[0].replace(/.*"error"/, ''),
  );
  return answers.map(({ status, text: answer }, index) => {
    const isRight = status === 200 && errors[index] !== undefined && errors[index] === errors[0];
    return { status, bytes: answer.length, achieved: isRight ? null : answer.slice(0, 400) };
  });
}

const sending = (name: string, make: () => readonly string[], isPublic = false): Attack => ({
  name: `push: ${name}`,
  run: (target) => sendBodies(target, make(), isPublic),
  commands: 1_000,
  documents: 5_000,
});

/** Attacks by pushes: around rights, with bodies that are large, deep or wrong everywhere. */
export const pushAttacks: readonly Attack[] = [
  { name: 'push: writes of the public', run: probe, commands: 10, documents: 100 },
  sending('large and deep bodies', bodies),
  sending('large and deep bodies of the public', bodies, true),
  sending('wrong types everywhere', wrongTypes),
];

import type { Call } from './calls.js';

/** An answer without what differs from run to run. */
export interface PlainAnswer {
  readonly status: number;
  readonly type: string;
  /** Headers that probes set, and those of redirects and downloads. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Answers by the name of their call. */
export type Answers = Readonly<Record<string, PlainAnswer>>;

/** Sends a call to a service and returns its answer. */
export async function sendCall(url: string, { method, path, body, headers }: Omit<Call, 'name'>): Promise<PlainAnswer> {
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: 'manual',
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  const text = await response.text();
  return {
    status: response.status,
    type,
    headers: Object.fromEntries([...response.headers].filter(([name]) => isKept(name))),
    body: withoutChance(type === 'application/json' && text !== '' ? JSON.parse(text) : text),
  };
}

const isKept = (name: string): boolean =>
  /^x-probe/.test(name) || ['location', 'content-disposition', 'set-cookie', 'allow'].includes(name);

/** Texts that differ from run to run, and what stands for them. Times before 2025 are content of the project. */
const chances: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/^(Date )?20(2[5-9]|[3-9]\d)-\d\d-\d\dT[\d:.]+Z$/, '$1<time>'],
  [/^\$2[aby]\$\d\d\$.{53}$/, '<password hash>'],
  [/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/, '<token>'],
  [/^[0-9a-f]{40,}$/, '<code>'],
  [/(note_)\w{10,}/, '$1<hash>'],
  [/127\.0\.0\.1:\d+|localhost:\d+/, '<host>'],
];

function withoutChance(value: unknown): unknown {
  if (typeof value === 'string') return chances.reduce((text, [pattern, instead]) => text.replace(pattern, instead), value);
  if (Array.isArray(value)) return value.map(withoutChance);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutChance(inner)]));
}

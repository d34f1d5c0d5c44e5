/** Why a mongod ended: its data are in use, its port is busy, or something that only `reason` can tell. */
export interface Failure {
  readonly kind: 'in-use' | 'port-busy' | 'failed';
  readonly reason: string;
}

/** Reads the reason from the complaints of a mongod: its log lines (JSON) of severity E and F, and plain lines of stderr. */
export const explainFailure = (complaints: readonly string[], exit: string): Failure => {
  const kind = kinds.find(([, pattern]) => complaints.some((line) => pattern.test(line)))?.[0] ?? 'failed';
  return { kind, reason: complaints.map(textOf).find((text) => text !== '') ?? `it ended with ${exit}` };
};

const kinds: readonly (readonly [Failure['kind'], RegExp])[] = [
  ['in-use', /DBPathInUse/],
  ['port-busy', /Address already in use/],
];

/** The inmost text of a log line: attr.error, attr.error.errmsg, attr.message or attr.message.msg, else its msg. */
const textOf = (line: string): string => {
  if (!line.startsWith('{') || !line.endsWith('}')) return line.trim();
  const { msg, attr } = JSON.parse(line) as { msg?: string; attr?: { error?: Detail; message?: Detail } };
  return (textIn(attr?.error) ?? textIn(attr?.message) ?? msg ?? '').trim();
};

type Detail = string | number | { readonly errmsg?: string; readonly msg?: string };

const textIn = (detail: Detail | undefined): string | undefined => {
  if (typeof detail === 'string') return detail;
  return typeof detail === 'object' ? (detail.errmsg ?? detail.msg) : undefined;
};

import { isRecord } from '../../values.js';

interface Work {
  readonly keysExamined: number;
  readonly documentsExamined: number;
  readonly ms: number;
}

/** What the server did for a command. `index` is null if it read a whole collection. */
export interface ExplainedWork extends Work {
  readonly index: string | null;
}

/** Returns what the server did for a command that it has explained. */
export function workIn(explained: unknown): ExplainedWork {
  const names = new Set(indexesOf(explained));
  return { index: names.size === 0 ? null : [...names].join(', '), ...workOf(explained) };
}

/** Returns the names of the indexes that a plan uses, including those of its joins. */
function indexesOf(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(indexesOf);
  if (!isRecord(node)) return [];
  return Object.entries(node).flatMap(([key, value]): readonly string[] => {
    if (key === 'rejectedPlans' || key === 'command') return [];
    if (key === 'indexName' && typeof value === 'string') return [value];
    return key === 'indexesUsed' && Array.isArray(value) ? value.map(String) : indexesOf(value);
  });
}

/** Returns the work of a plan: that of its cursor, and that of the joins after it. */
function workOf(node: unknown): Work {
  if (Array.isArray(node)) return node.map(workOf).reduce(add, nothing);
  if (!isRecord(node)) return nothing;
  const { executionStats: stats } = node;
  if (isRecord(stats)) return { ...examinedBy(stats), ms: Number(stats['executionTimeMillis'] ?? 0) };
  return Object.values(node).map(workOf).reduce(add, examinedBy(node));
}

const nothing: Work = { keysExamined: 0, documentsExamined: 0, ms: 0 };

const examinedBy = (node: Readonly<Record<string, unknown>>): Work => ({
  keysExamined: Number(node['totalKeysExamined'] ?? 0),
  documentsExamined: Number(node['totalDocsExamined'] ?? 0),
  ms: 0,
});

const add = (one: Work, other: Work): Work => ({
  keysExamined: one.keysExamined + other.keysExamined,
  documentsExamined: one.documentsExamined + other.documentsExamined,
  ms: one.ms + other.ms,
});

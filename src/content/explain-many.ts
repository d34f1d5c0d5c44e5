import { ReadTrace } from '../mongo/read/explain-read.js';
import type { Query } from '../query/ast.js';
import type { ContentType } from '../schema/content-type.js';
import { isRecord } from '../values.js';
import { type ContentContext, withDatabase } from './content-context.js';
import { findMany, type FoundPage } from './find-many.js';

/** How a page was read, for operators. */
interface Explained {
  /** The name of the way in which the page was read. */
  readonly way: string;
  readonly commands: readonly ExplainedCommand[];
  /** The attributes that lack an index. */
  readonly advice?: string;
}

interface ExplainedCommand {
  /** The command as it was sent, in Extended JSON, except that long lists are cut. */
  readonly command: unknown;
  /** What the server did when the command was explained. `index` is null if it read a whole collection. */
  readonly plan: Work & { readonly index: string | null };
}

interface Work {
  readonly keysExamined: number;
  readonly documentsExamined: number;
  readonly ms: number;
}

interface ExplainedPage {
  readonly page: FoundPage;
  readonly explain: Explained;
}

/** Returns a page and how it was read. Throws a ValidationError as `findMany` does. */
export async function explainMany(type: ContentType, query: Query, context: ContentContext): Promise<ExplainedPage> {
  const { database } = context.store;
  const trace = new ReadTrace();
  const page = await findMany(type, query, withDatabase(context, { ...database, trace }));
  const { way, commands, advice } = await trace.explain(database, context.bind.registry);
  const shown = commands.map(({ command, explained }) => ({ command: cutLists(command), plan: planOf(explained) }));
  return { page, explain: { way, commands: shown, ...(advice !== null && { advice }) } };
}

function planOf(explained: unknown): ExplainedCommand['plan'] {
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

/** Maximum number of items of a list that are shown. */
const longest = 100;

/** Returns a command whose long lists are cut, because conditions on related entries may be resolved to many ids. */
function cutLists(value: unknown): unknown {
  if (Array.isArray(value)) {
    const shown = value.slice(0, longest).map(cutLists);
    return value.length > longest ? [...shown, `... ${String(value.length - longest)} more`] : shown;
  }
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cutLists(inner)])) : value;
}

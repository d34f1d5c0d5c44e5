import { BSON, type Document } from 'mongodb';
import type { Plan } from '../../query/plan.js';
import type { Registry } from '../../schema/content-type.js';
import { isRecord } from '../../values.js';
import { type Database, runRead, type Trace } from '../database.js';
import { lackingIndexes, spellLacking } from './explain-timeout.js';

/** How a page was read, for operators. */
interface Explained {
  /** The name of the way in which the page was read. */
  readonly way: string;
  /** The commands as they were sent, in Extended JSON, except that long lists are cut. */
  readonly commands: readonly ExplainedCommand[];
  /** The index that would help, if one is missing. */
  readonly advice?: string;
}

interface ExplainedCommand {
  readonly command: unknown;
  /** What the server did when the command was explained. `index` is null if it read a whole collection. */
  readonly plan: { readonly index: string | null } & Work;
}

interface Work {
  readonly keysExamined: number;
  readonly documentsExamined: number;
  readonly ms: number;
}

interface Explaining {
  readonly registry: Registry;
  readonly database: Database;
}

/** Records how one page is read. */
export class ReadTrace implements Trace {
  #read: { readonly way: string; readonly plan: Plan } | null = null;
  readonly #commands: Document[] = [];

  readonly chose = (way: string, plan: Plan): void => {
    this.#read ??= { way, plan };
  };

  readonly sent = (command: Document): void => void this.#commands.push(command);

  /** Returns how the page was read. Has the server explain the commands one after the other, which runs them again. */
  async explain({ registry, database }: Explaining): Promise<Explained> {
    const untraced = { ...database, trace: null };
    const commands: ExplainedCommand[] = [];
    for (const command of this.#commands) commands.push(await explainCommand(command, untraced));
    const lacking = this.#read === null ? [] : await lackingIndexes(this.#read.plan, { registry, database: untraced });
    return {
      way: this.#read?.way ?? 'none',
      commands,
      ...(lacking.length > 0 && { advice: spellLacking(lacking) }),
    };
  }
}

async function explainCommand({ maxTimeMS, ...command }: Document, database: Database): Promise<ExplainedCommand> {
  const explained = await runRead(database, { explain: command, verbosity: 'executionStats' });
  const names = [...new Set(indexesOf(explained))];
  const shown = cutLists(BSON.EJSON.serialize({ ...command, maxTimeMS: maxTimeMS as unknown }));
  return { command: shown, plan: { index: names.length === 0 ? null : names.join(', '), ...workOf(explained) } };
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

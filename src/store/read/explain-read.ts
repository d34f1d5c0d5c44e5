import { BSON, type Document } from 'mongodb';
import type { FoundEntries } from '#model/query/ast.js';
import type { Plan } from '#model/query/plan.js';
import type { Registry } from '#model/schema/content-type.js';
import { isRecord } from '#base/values.js';
import { type Database, groupsWay, type Trace } from '../send/database.js';
import { runReadCommand } from '../send/read-commands.js';
import { distinctLacking, type LackingIndex, lackingIndexes, spellLacking } from './explain-timeout.js';

/** A command as it was sent, in Extended JSON, and what the server did for it when it explained it. */
interface ExplainedCommand {
  readonly command: unknown;
  readonly work: ExplainedWork;
}

interface ExplainedRead {
  /** The name of the way in which the page was read. */
  readonly way: string;
  /** What has found the entries outside of the database; null if nothing has. */
  readonly foundEntries: FoundEntries | null;
  readonly commands: readonly ExplainedCommand[];
  /** The attributes that lack an index, with the options that would create them; null if there are none. */
  readonly advice: string | null;
  readonly lacking: readonly LackingIndex[];
}

/** Records how one page is read, and groups of its entries. */
export class ReadTrace implements Trace {
  readonly #reads: { readonly way: string; readonly plan: Plan }[] = [];
  readonly #commands: Document[] = [];

  readonly onRead = (way: string, plan: Plan): void => {
    this.#reads.push({ way, plan });
  };

  readonly onCommand = (command: Document): void => void this.#commands.push(command);

  /** Returns how the page was read, or groups if there is no page. Has the server explain the commands one after the other, which runs them again. */
  async explain(database: Database, registry: Registry): Promise<ExplainedRead> {
    const context = { registry, database: { ...database, trace: null } };
    const commands: ExplainedCommand[] = [];
    for (const command of this.#commands)
      commands.push({ command: BSON.EJSON.serialize(command), work: workIn(await explain(command, context.database)) });
    const lacking = distinctLacking((await Promise.all(this.#reads.map(({ plan }) => lackingIndexes(plan, context)))).flat());
    const advice = lacking.length === 0 ? null : spellLacking(lacking);
    const { way = 'none' } = this.#reads.find((read) => read.way !== groupsWay) ?? this.#reads[0] ?? {};
    const foundEntries = this.#reads.find(({ plan }) => plan.foundEntries !== undefined)?.plan.foundEntries ?? null;
    return { way, foundEntries: foundEntries, commands, lacking, advice };
  }
}

function explain(command: Document, database: Database): Promise<Document> {
  const explained = Object.fromEntries(Object.entries(command).filter(([key]) => key !== 'maxTimeMS'));
  return runReadCommand(database, { explain: explained, verbosity: 'executionStats' });
}

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

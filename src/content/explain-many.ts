import { ReadTrace } from '../mongo/read/explain-read.js';
import { type ExplainedWork, workIn } from '../mongo/read/explained-work.js';
import type { Query } from '../query/ast.js';
import type { ContentType } from '../schema/content-type.js';
import { isRecord, mapValues } from '../values.js';
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
  /** What the server did when the command was explained. */
  readonly plan: ExplainedWork;
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
  const shown = commands.map(({ command, explained }) => ({ command: cutLists(command), plan: workIn(explained) }));
  return { page, explain: { way, commands: shown, ...(advice !== null && { advice }) } };
}

/** Maximum number of items of a list that are shown. */
const longest = 100;

/** Returns a command whose long lists are cut, because conditions on related entries may be resolved to many ids. */
function cutLists(value: unknown): unknown {
  if (Array.isArray(value)) {
    const shown = value.slice(0, longest).map(cutLists);
    return value.length > longest ? [...shown, `... ${String(value.length - longest)} more`] : shown;
  }
  return isRecord(value) ? mapValues(value, cutLists) : value;
}

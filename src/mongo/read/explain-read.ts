import { BSON, type Document } from 'mongodb';
import type { Plan } from '../../query/plan.js';
import type { Registry } from '../../schema/content-type.js';
import { type Database, type Trace } from '../send/database.js';
import { runRead } from '../send/read-commands.js';
import { type LackingIndex, lackingIndexes, spellLacking } from './explain-timeout.js';

/** A command as it was sent, in Extended JSON, and what the server says about it. */
interface ExplainedCommand {
  readonly command: unknown;
  readonly explained: Document;
}

interface ExplainedRead {
  /** The name of the way in which the page was read. */
  readonly way: string;
  readonly commands: readonly ExplainedCommand[];
  /** The attributes that lack an index, with the options that would create them; null if there are none. */
  readonly advice: string | null;
  readonly lacking: readonly LackingIndex[];
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
  async explain(database: Database, registry: Registry): Promise<ExplainedRead> {
    const context = { registry, database: { ...database, trace: null } };
    const commands: ExplainedCommand[] = [];
    for (const command of this.#commands)
      commands.push({ command: BSON.EJSON.serialize(command), explained: await explain(command, context.database) });
    const lacking = this.#read === null ? [] : await lackingIndexes(this.#read.plan, context);
    const advice = lacking.length === 0 ? null : spellLacking(lacking);
    return { way: this.#read?.way ?? 'none', commands, lacking, advice };
  }
}

function explain(command: Document, database: Database): Promise<Document> {
  const explained = Object.fromEntries(Object.entries(command).filter(([key]) => key !== 'maxTimeMS'));
  return runRead(database, { explain: explained, verbosity: 'executionStats' });
}

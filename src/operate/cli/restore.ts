import { placeOf } from '../backup/place.js';
import { prepareRestore, restoreBackup } from '../backup/restore-backup.js';
import { type ConflictRule, conflicts } from '../backup/restoring.js';
import type { RestoreReport } from '../backup/restoring.js';
import { verifyBackup } from '../backup/verify-backup.js';
import { openBackups } from './connect-configured.js';
import { print, printTable } from './print.js';
import { recordCommand } from './record-command.js';
import { onlyWord, parseWords, UsageError } from './usage-error.js';

export const usage = `usage: npx mangrove restore FILE [--conflict skip|replace|fail]
  restores a backup of npx mangrove backup, after it has checked the whole of it
  FILE               a file, or s3://BUCKET/KEY, with the settings of uploads in S3
  --conflict fail    restore only into a database without content (default)
  --conflict skip    keep the documents that are stored, and add the others
  --conflict replace replace the documents that are stored and in the backup; the others stay
A restore that was killed continues when it is run again; npx mangrove import --abandon discards it.
exit code: 0 if everything is restored, 2 if the report lists what is not, 1 if it failed: nothing is changed then, unless it
           was already replacing collections; run it again to end its work`;

function readArguments(args: readonly string[]): { readonly file: string; readonly conflict: ConflictRule } {
  const options = { conflict: { type: 'string', default: 'fail' } } as const;
  const { values, positionals } = parseWords(args, options);
  const file = onlyWord(positionals, 'FILE');
  const conflict = conflicts.find((rule) => rule === values.conflict);
  if (conflict === undefined) throw new UsageError(`--conflict must be skip, replace or fail, not ${values.conflict}`);
  return { file, conflict };
}

const incomplete = 2;

/** Restores a backup into the database of the working directory. Returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const { file, conflict } = readArguments(args);
  const { settings, context, close } = await openBackups();
  try {
    const place = placeOf(file, settings);
    const backup = await verifyBackup(place, context);
    const prepared = await prepareRestore({ place, backup, conflict }, context);
    const { merged, problems } = await recordCommand(context.database, ['restore', args], () => restoreBackup(prepared, context));
    printTable([...describe(merged), ...problems.map((text): Row => ['warning', '', text])]);
    print(`${file}: restored as of ${backup.end.moment}`);
    return [...merged.values()].some(({ refused }) => refused.size > 0) || problems.length > 0 ? incomplete : 0;
  } finally {
    await close();
  }
}

type Row = readonly [what: string, which: string, about: string];

const describe = (merged: RestoreReport['merged']): readonly Row[] =>
  [...merged].flatMap(([name, { stored, kept, refused }]) => [
    ...(stored > 0 ? [['restored', name, String(stored)] as Row] : []),
    ...(kept > 0 ? [['kept', name, String(kept)] as Row] : []),
    ...[...refused].map(([fields, count]): Row => [
      'not restored',
      name,
      `${String(count)}: another document has the same ${fields}`,
    ]),
  ]);

import { placeOf } from '../backup/place.js';
import { writeBackup } from '../backup/write-backup.js';
import { openBackups } from './connect-configured.js';
import { print, printError } from './print.js';
import { recordCommand } from './record-command.js';
import { onlyWord, parseWords } from './usage-error.js';

export const usage = `usage: npx mangrove backup FILE
  writes everything in the database, and the files of uploads, as of one moment, while the service runs
  FILE               a new file, such as shop.backup.gz; s3://BUCKET/KEY, with the settings of uploads in S3;
                     or - for standard output
exit code: 0 if everything is in the backup, 2 if files are missing in their storage, 1 if there is no backup`;

const incomplete = 2;

/** Backs up the database of the working directory. Returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const file = onlyWord(parseWords(args, {}).positionals, 'FILE');
  const { settings, context, close } = await openBackups();
  try {
    const place = placeOf(file, settings);
    if (await place.exists()) throw new Error(`${place.name} already exists; name a new file`);
    const tally = await recordCommand(context.database, ['backup', args], () => writeBackup(place, context));
    const files = tally.files === 0 ? '' : `, ${String(tally.files)} files from outside of the database`;
    const tell = file === '-' ? printError : print;
    tell(`${place.name}: ${String(tally.documents)} documents${files}, as of ${tally.moment}`);
    for (const key of tally.lost.values()) printError(`the file ${key} is missing in its storage`);
    return tally.lost.size > 0 ? incomplete : 0;
  } finally {
    await close();
  }
}

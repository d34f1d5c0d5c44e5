import { inSession, type Database } from './database.js';
import { translating } from './driver-errors.js';

/** Sets values of a document of `_settings`; other values of it stay. */
export async function writeSettings(
  { db, session }: Database,
  id: string,
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  const settings = db.collection<{ readonly _id: string }>('_settings');
  await translating(() => settings.updateOne({ _id: id }, { $set: { ...values } }, { upsert: true, ...inSession(session) }));
}

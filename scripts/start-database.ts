import { startEmbedded } from '../src/mongo/embedded/start-embedded.js';
import { startEphemeral } from '../src/mongo/embedded/start-ephemeral.js';

/** A MongoDB to work on. */
export interface ScriptDatabase {
  readonly uri: string;
  stop(): Promise<void>;
}

/** The server behind MONGODB_URI, else an embedded one: with data that are kept in a folder, or deleted when it stops. */
export async function startDatabase(data: { readonly keptIn: string } | 'ephemeral'): Promise<ScriptDatabase> {
  const uri = process.env.MONGODB_URI;
  if (uri) return { uri, stop: () => Promise.resolve() };
  const log = (line: string): void => {
    console.log(line);
  };
  return data === 'ephemeral' ? startEphemeral(log) : startEmbedded({ dataDir: data.keptIn, log });
}

import './clean-environment.js';
import './hash-once.js';
import type { RootHookObject } from 'mocha';
import { startEphemeral, type ScriptDatabase } from '../../scripts/start-database.js';
import { serverVariable } from './mongo.js';
import { endCli } from './run-cli.js';

export const mochaHooks: RootHookObject = { afterEach: endCli };

let server: ScriptDatabase | undefined;

/** Starts the database server of the run, in the main process; workers find its address in the environment that they inherit. */
export async function mochaGlobalSetup(): Promise<void> {
  server = await startEphemeral(console.log);
  process.env[serverVariable] = server.uri;
}

export async function mochaGlobalTeardown(): Promise<void> {
  await server?.stop();
}

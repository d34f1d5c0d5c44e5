import '../support/clean-environment.js';
import type { RootHookObject } from 'mocha';
import { startCluster, type Cluster } from '../../scripts/prove/cluster/start-cluster.js';
import { serverVariable } from '../support/mongo.js';
import { endCli } from '../support/run-cli.js';

export const mochaHooks: RootHookObject = { afterEach: endCli };

let cluster: Cluster | undefined;

/** Starts the sharded cluster of the run, or takes the one that the environment names. */
export async function mochaGlobalSetup(): Promise<void> {
  if (process.env[serverVariable] !== undefined) return;
  cluster = await startCluster(console.log);
  process.env[serverVariable] = cluster.uri;
}

export async function mochaGlobalTeardown(): Promise<void> {
  await cluster?.stop();
}

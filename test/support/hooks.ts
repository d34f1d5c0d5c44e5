import './clean-environment.js';
import type { RootHookObject } from 'mocha';
import { findBinary } from '../../src/mongo/embedded/find-binary.js';
import { stopTestServer } from './mongo.js';

/** Has the server program fetched before the first test, which has a time limit; the server itself starts when a test asks. */
export const mochaHooks: RootHookObject = {
  async beforeAll(this: Mocha.Context) {
    this.timeout(0);
    await findBinary({ env: process.env, log: console.log });
  },
  afterAll: stopTestServer,
};

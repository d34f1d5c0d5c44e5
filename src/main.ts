import { run } from './cli/start.js';

/** The process of the service: the command `start`. */
await run(process.argv.slice(2));

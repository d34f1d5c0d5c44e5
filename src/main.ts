import { runProgram } from './cli/program.js';

/** The command `start` from source, for `npm run dev` and the tests; `npm start` runs bin/mangrove.cjs, which is compiled. */
process.exitCode = await runProgram(['start', ...process.argv.slice(2)]);

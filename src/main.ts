import { runProgram } from '#operate/cli/program.js';

/** Runs the command `start` from source, for `npm run dev` and the tests. `npm start` runs the compiled bin/mangrove.cjs. */
process.exitCode = await runProgram(['start', ...process.argv.slice(2)]);

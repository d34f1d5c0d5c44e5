#!/usr/bin/env node
'use strict';

// Written so that old versions of Node can read it and say which version is needed.
var needed = /(\d+)\.(\d+)/.exec(require('../package.json').engines.node).slice(1).map(Number);
var present = process.versions.node.split('.').map(Number);

if (present[0] < needed[0] || (present[0] === needed[0] && present[1] < needed[1])) {
  console.error('Mangrove needs Node ' + needed.join('.') + ' or newer; this is Node ' + process.versions.node + '.');
  process.exit(1);
}

import('../dist/src/operate/cli/program.js').then(
  function (program) {
    return program.runProgram(process.argv.slice(2)).then(function (code) {
      process.exitCode = code;
      // Code of a project that a command has loaded may keep timers and connections.
      if (process.argv[2] !== 'start')
        process.stdout.write('', function () {
          process.exit();
        });
    });
  },
  function (error) {
    var isMissing = error.code === 'ERR_MODULE_NOT_FOUND' && /program\.js'/.test(error.message);
    console.error(isMissing ? 'Mangrove is not built: run npm run build' : error);
    process.exitCode = 1;
  },
);

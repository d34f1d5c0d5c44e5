import { expect } from 'chai';
import { explainFailure, type Failure } from '#operate/embedded/launch-mongod.js';

/** Lines as mongod 8.2.0 and the system's loader wrote them, shortened. */
const cases: readonly (readonly [title: string, lines: readonly string[], failure: Failure])[] = [
  [
    'data in use',
    [
      '{"s":"E","id":20557,"msg":"DBException in initAndListen, terminating","attr":{"error":"DBPathInUse: Unable to lock the lock file: dd/mongod.lock"}}',
    ],
    { kind: 'in-use', reason: 'DBPathInUse: Unable to lock the lock file: dd/mongod.lock' },
  ],
  [
    'port busy',
    [
      '{"s":"E","id":20568,"msg":"Error setting up transport layer","attr":{"error":{"code":9001,"codeName":"SocketException","errmsg":"127.0.0.1:30200 :: caused by :: setup bind :: caused by :: Address already in use"}}}',
    ],
    { kind: 'port-busy', reason: '127.0.0.1:30200 :: caused by :: setup bind :: caused by :: Address already in use' },
  ],
  [
    'damaged data',
    [
      '{"s":"E","id":22435,"msg":"WiredTiger error message","attr":{"error":-31809,"message":{"msg":"WiredTiger.turtle: fatal turtle file read error"}}}',
      '{"s":"F","id":23089,"msg":"Fatal assertion","attr":{"msgid":50853}}',
    ],
    { kind: 'failed', reason: 'WiredTiger.turtle: fatal turtle file read error' },
  ],
  [
    'a library is missing',
    ['mongod: error while loading shared libraries: libcurl.so.4: cannot open shared object file'],
    { kind: 'failed', reason: 'mongod: error while loading shared libraries: libcurl.so.4: cannot open shared object file' },
  ],
  ['an incomplete line', ['{"s":"F","msg":"Writing fat'], { kind: 'failed', reason: '{"s":"F","msg":"Writing fat' }],
  ['nothing said', [], { kind: 'failed', reason: 'it ended with SIGKILL' }],
];

describe('explain-failure', () => {
  for (const [title, lines, failure] of cases) {
    it(title, () => {
      expect(explainFailure(lines, 'SIGKILL')).to.deep.equal(failure);
    });
  }
});

// Forms a replica set of MEMBERS, the first of which has the user `root`, and creates the user of the service. Does nothing that is
// already done. It is run in the image, where it finds the driver.
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient, MongoServerError } from 'mongodb';

const { MEMBERS: members = '', ROOT_PASSWORD: password = '', PASSWORD: servicePassword = '' } = process.env;
const [first = ''] = members.split(',');
if (first === '' || password === '' || servicePassword === '') throw new Error('MEMBERS, ROOT_PASSWORD and PASSWORD must be set');

/** Codes of the errors that say that something was done before. */
const done = { initiated: 23, userExists: 51_003 };

/** Returns a function that ignores the error of a code, and throws others. */
const unless = (code) => (error) => {
  if (!(error instanceof MongoServerError) || error.code !== code) throw error;
};

/** Elections within 2 seconds instead of 10: docs/scaling.md, "Slow disks and elections". */
const settings = {
  electionTimeoutMillis: 1500,
  heartbeatIntervalMillis: 500,
  heartbeatTimeoutSecs: 1,
  catchUpTimeoutMillis: 500,
};

const auth = { username: 'root', password };
const client = new MongoClient(`mongodb://${first}/admin`, { auth, directConnection: true, serverSelectionTimeoutMS: 60_000 });
try {
  const config = { _id: 'rs0', members: members.split(',').map((host, _id) => ({ _id, host })), settings };
  await client.db('admin').command({ replSetInitiate: config }).catch(unless(done.initiated));
  const end = Date.now() + 60_000;
  while (
    !(
      await client
        .db('admin')
        .command({ hello: 1 })
        .catch(() => ({}))
    ).setName
  ) {
    if (Date.now() > end) throw new Error('the replica set was not formed within a minute');
    await delay(200);
  }
} finally {
  await client.close();
}

const whole = new MongoClient(`mongodb://${members}/admin?replicaSet=rs0`, { auth, serverSelectionTimeoutMS: 60_000 });
try {
  const roles = [
    { role: 'readWrite', db: 'content' },
    { role: 'clusterMonitor', db: 'admin' },
  ];
  const user = { pwd: servicePassword, roles };
  const database = whole.db('content');
  await database.command({ createUser: 'mangrove', ...user }).catch(unless(done.userExists));
  await database.command({ updateUser: 'mangrove', ...user });
  console.log('the replica set rs0 and its user mangrove are ready');
} finally {
  await whole.close();
}

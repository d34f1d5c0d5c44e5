import { distanceOf } from './address-fault.js';
import { isAboutAddress } from './check-settings.js';
import { quickElections, quickFollowing } from '../raw/server-facts.js';
import type { Context, DatabaseFacts } from './context.js';
import { advice, type Finding, type CheckResult, nameSome, ok, problem, unknown } from '#base/finding.js';

export function checkDatabase({ config, problems, unreached }: Context): CheckResult {
  const refused = problems.filter(isAboutAddress);
  if (refused.length > 0) return refused.map((line) => problem(line, 'correct MONGODB_URI'));
  const isOwn = config.database.uri === null;
  if (isOwn && config.database.embedded.production === 'refuse')
    return problem('MONGODB_URI is not set, and the embedded MongoDB is not for production', 'set MONGODB_URI to a replica set');
  if (unreached !== null) return problem(`the database cannot be used: ${unreached}`, 'start it, or correct MONGODB_URI');
  return isOwn ? advice('the embedded MongoDB has one member and no password', 'set MONGODB_URI to a replica set') : null;
}

/** Finds what makes writes unsafe or impossible if a member fails. */
export function checkReplicaSet({ server }: DatabaseFacts, { config, address }: Context): CheckResult {
  const { topology, members, arbiters, unhealthy, isJournaled } = server;
  if (topology === 'standalone')
    return problem(
      'the database is a standalone server: no transactions, so writes may stop halfway; sync, batches and keys are refused',
      'make it a replica set, even of one member (mongod --replSet)',
    );
  if (topology === 'sharded cluster') return ok('a sharded cluster');
  const concern = address?.readConcern ?? null;
  return [
    members.length === 1 && config.database.uri !== null
      ? advice('the replica set has one member: if it fails, the service is down', 'use three members on three machines')
      : null,
    members.length === 2
      ? advice('the replica set has two members with data: if one fails, no write is acknowledged', 'add a third member')
      : null,
    members.length > 2 && (members.length + arbiters.length) % 2 === 0
      ? advice('the replica set has an even number of members', 'remove one, or add one')
      : null,
    unhealthy !== null && unhealthy.length > 0
      ? problem(`members of the replica set do not work: ${nameSome(unhealthy)}`, 'start them again, or remove them')
      : null,
    ...(members.length > 2 ? checkElections(server) : []),
    isJournaled === false
      ? advice('majority writes of other programs do not wait for the journal', 'set writeConcernMajorityJournalDefault: true')
      : null,
    concern !== null && concern !== 'majority' && concern !== 'local'
      ? advice(`MONGODB_URI asks for the read concern ${concern}`, 'remove readConcernLevel from it')
      : null,
  ];
}

/** Finds settings with which no write is acknowledged for long after a primary hangs. */
function checkElections({ slowElections, slowFollowing }: DatabaseFacts['server']): readonly (Finding | null)[] {
  const page = '(docs/scaling.md, "Slow disks and elections")';
  const wanted = Object.entries(quickElections).map(([name, value]) => `${name}: ${String(value)}`);
  const started = Object.entries(quickFollowing).map(([name, value]) => `--setParameter ${name}=${String(value)}`);
  return [
    slowElections !== null && slowElections.length > 0
      ? advice(
          `a primary that hangs is replaced late: ${nameSome(slowElections)}`,
          `set ${wanted.join(', ')} by rs.reconfig ${page}`,
        )
      : null,
    slowFollowing !== null && slowFollowing.length > 0
      ? advice(
          `secondaries leave a primary that hangs late, and no write is acknowledged until then: ${nameSome(slowFollowing)}`,
          `start each mongod with ${started.join(' ')} ${page}`,
        )
      : null,
  ];
}

/** Finds connections to the database that others can read or use. */
export function checkConnection({ address, config, database }: Context): CheckResult {
  if (config.database.uri === null) return null;
  if (address === null) return unknown('not checked, because MONGODB_URI cannot be read');
  const distances = new Set(address.hosts.map(distanceOf));
  const isFar = distances.has('anywhere');
  const isLocal = !isFar && !distances.has('network');
  const secured = 'create a user with the role readWrite on the database, and name it in MONGODB_URI';
  const roles = (database?.server.roles ?? []).filter((role) => powerful.has(role));
  return [
    address.hasUser
      ? null
      : isLocal
        ? advice('MongoDB has no password: every program of this machine can change everything', secured)
        : problem('MONGODB_URI names no user: whoever reaches the database can change everything', secured),
    address.isEncrypted || isLocal
      ? null
      : (isFar ? problem : advice)('the connection to the database is not encrypted', 'add tls=true to MONGODB_URI'),
    address.isEncrypted && !address.isVerified
      ? problem('the certificate of the database is not checked', 'remove tlsInsecure and tlsAllowInvalid… from MONGODB_URI')
      : null,
    database?.server.mayWrite === false
      ? problem('the user of MONGODB_URI may not write to the database', 'grant the role readWrite on it')
      : null,
    roles.length > 0
      ? advice(
          `the user of MONGODB_URI has more rights than needed (${roles.join(', ')})`,
          'grant readWrite on one database only',
        )
      : null,
  ];
}

/** Roles for more than one database, or for other users. */
const powerful: ReadonlySet<string> = new Set([
  ...['root', '__system', 'atlasAdmin', 'dbOwner', 'userAdmin', 'userAdminAnyDatabase'],
  ...['readWriteAnyDatabase', 'dbAdminAnyDatabase'],
]);

/** Bytes and share of a file system below which it is full, or nearly so. */
const least = { full: { bytes: 500e6, share: 0.02 }, low: { bytes: 2e9, share: 0.1 } };

/** Returns a finding if a file system has little room. */
function checkRoom(what: string, { total, free }: { readonly total: number; readonly free: number }): CheckResult {
  const isBelow = ({ bytes, share }: { readonly bytes: number; readonly share: number }): boolean =>
    free < bytes || free < share * total;
  const text = `${what} has ${(free / 1e9).toFixed(1)} of ${(total / 1e9).toFixed(1)} GB left`;
  if (isBelow(least.full)) return problem(text, 'make room: writes fail when it is full');
  return isBelow(least.low) ? advice(text, 'make room, and watch it') : null;
}

export const checkDisk = ({ database, uploads }: Context): CheckResult =>
  [
    database === null ? unknown('the disk of the database is not checked, because it does not answer') : null,
    database?.server.disk ? checkRoom('the disk of the database', database.server.disk) : null,
    uploads === null
      ? null
      : 'failure' in uploads.room
        ? unknown(`the disk of ${uploads.path} is not checked: ${uploads.room.failure}`)
        : checkRoom(`the disk of ${uploads.path}`, uploads.room),
  ].flat();

/** Milliseconds that clocks may differ. Tokens are valid for times, and schedules are by them. */
const tolerance = { advice: 2_000, problem: 30_000 };

/** Finds clocks that differ from that of the database. */
export function checkClock({ server, instances }: DatabaseFacts, { now }: Context): CheckResult {
  const off = Math.abs(server.ahead);
  const text = `the clock of this machine is ${(off / 1e3).toFixed(1)} s ${server.ahead > 0 ? 'behind' : 'ahead of'} that of the database`;
  const atServer = now.getTime() + server.ahead;
  const early = instances.filter(({ heartbeat }) => heartbeat.getTime() - atServer > tolerance.advice);
  return [
    off > tolerance.problem ? problem(text, 'run NTP on both') : off > tolerance.advice ? advice(text, 'run NTP on both') : null,
    early.length > 0
      ? problem(`the clocks of instances are ahead: ${nameSome(early.map(({ name }) => name))}`, 'run NTP on their machines')
      : null,
  ];
}

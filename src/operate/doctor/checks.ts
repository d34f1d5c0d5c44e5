import { checkOpenness, checkPublic, checkRegistration } from './check-access.js';
import { checkClock, checkConnection, checkDatabase, checkDisk, checkReplicaSet } from './check-database.js';
import { checkCollections, checkIndexes, checkModels } from './check-models.js';
import { checkBackups, checkMail, checkPanel, checkStorage, checkSync, checkWebhooks } from './check-services.js';
import { checkSecrets } from './check-secrets.js';
import {
  checkConfiguration,
  checkCors,
  checkEnvironment,
  checkHeaders,
  checkLimits,
  checkMetrics,
  checkPages,
  checkProxy,
} from './check-settings.js';
import { checkInstances, checkMongo, checkNode } from './check-versions.js';
import type { Context, DatabaseFacts } from './context.js';
import { type Finding, type CheckResult, ok, unknown, withoutDatabase } from '#base/finding.js';

/** One thing that is checked. */
interface Check {
  readonly name: string;
  /** What is true if nothing is found. */
  readonly fine: string;
  readonly check: (context: Context) => CheckResult;
}

/** Returns a check of facts about the database, which cannot be made without them. */
const ofDatabase =
  (check: (facts: DatabaseFacts, context: Context) => CheckResult) =>
  (context: Context): CheckResult =>
    context.database === null ? unknown(withoutDatabase) : check(context.database, context);

/** All checks, in the order in which they are printed. */
const checks: readonly Check[] = [
  { name: 'configuration', fine: 'the configuration is accepted', check: checkConfiguration },
  { name: 'environment', fine: 'NODE_ENV is production', check: checkEnvironment },
  { name: 'secrets', fine: 'the secrets are set, long and different', check: checkSecrets },
  { name: 'openness', fine: 'callers need rights', check: checkOpenness },
  { name: 'public-role', fine: 'the role public changes nothing and sees no users', check: ofDatabase(checkPublic) },
  { name: 'registration', fine: 'registered users have no rights over others', check: ofDatabase(checkRegistration) },
  { name: 'cors', fine: 'no other origin sends cookies', check: checkCors },
  { name: 'proxy', fine: 'the public address has TLS, and the proxy is trusted', check: checkProxy },
  { name: 'rate-limits', fine: 'attempts and requests are limited', check: checkLimits },
  { name: 'headers', fine: 'the security headers are sent', check: checkHeaders },
  { name: 'pages', fine: 'pages for developers are off', check: checkPages },
  { name: 'metrics', fine: 'metrics are off, or need a token', check: checkMetrics },
  { name: 'database', fine: 'the database answers', check: checkDatabase },
  { name: 'connection', fine: 'the connection is encrypted and has a user', check: checkConnection },
  { name: 'replica-set', fine: 'the replica set can lose a member', check: ofDatabase(checkReplicaSet) },
  { name: 'disk', fine: 'there is room', check: checkDisk },
  { name: 'clock', fine: 'the clocks agree', check: ofDatabase(checkClock) },
  { name: 'node', fine: `Node ${process.versions.node} gets fixes`, check: checkNode },
  { name: 'mongodb', fine: 'the version of MongoDB gets fixes', check: ofDatabase(checkMongo) },
  { name: 'instances', fine: 'all instances are the same', check: ofDatabase(checkInstances) },
  { name: 'models', fine: 'all models are in force', check: ofDatabase(checkModels) },
  { name: 'indexes', fine: 'all indexes exist', check: ofDatabase(checkIndexes) },
  { name: 'collections', fine: 'no collection is left over', check: ofDatabase(checkCollections) },
  { name: 'mail', fine: 'e-mails are sent, or nobody needs them', check: checkMail },
  { name: 'storage', fine: 'files can be stored', check: checkStorage },
  { name: 'backups', fine: 'backups are made', check: checkBackups },
  { name: 'sync', fine: 'sync goes on after a stop, or no type is synced', check: ofDatabase(checkSync) },
  { name: 'webhooks', fine: 'webhooks are delivered', check: ofDatabase(checkWebhooks) },
  { name: 'panel', fine: 'the admin panel is built, or off', check: checkPanel },
];

/** A finding with the name of its check. */
export type NamedFinding = Finding & { readonly name: string };

/** Returns what all checks find, those of features last: at least one finding for each. */
export const runChecks = (context: Context): readonly NamedFinding[] => {
  const own = checks.map(({ name, fine, check }) => ({ name, fine, result: check(context) }));
  return [...own, ...context.ofFeatures].flatMap(({ name, fine, result: all }) => {
    const findings = [all].flat().filter((finding) => finding !== null);
    return (findings.length > 0 ? findings : [ok(fine)]).map((finding) => ({ name, ...finding }));
  });
};

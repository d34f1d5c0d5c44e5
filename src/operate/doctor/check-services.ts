import { commandLine } from '#base/command-line.js';
import { mailServer } from '#accounts/mail/mailer.js';
import { hasPanel, servesPanel } from '#admin/front-end/panel-files.js';
import { isSynced } from '#http/sync-option.js';
import { isPrivateHost } from '#base/public-address.js';
import type { Context, DatabaseFacts } from './context.js';
import { advice, type CheckResult, nameSome, problem, unknown } from '#base/finding.js';

/** Finds e-mails that are not sent although users need them. */
export function checkMail({ config, mail, database }: Context): CheckResult {
  const { provider, settings } = config.plugins.email.config;
  const { accounts, roles } = database ?? {};
  if (mail !== null)
    return problem(
      `${provider === 'nodemailer' ? 'the mail server refuses the connection' : `the e-mail provider ${provider} does not work`}: ${mail}`,
      'correct plugins.email.config.providerOptions',
    );
  const isSent = mailServer.isNamed(config);
  const remedy = 'set plugins.email.config.providerOptions: host, port and auth';
  const asks = roles?.byType.get('public')?.actions.has('plugin::users-permissions.auth.forgotPassword') === true;
  if (!isSent && accounts?.email_confirmation === true)
    return problem('users must confirm their e-mail address, and no e-mail is sent', remedy);
  if (!isSent && database === null) return unknown('no e-mail is sent; whether users need them is not checked');
  if (!isSent) return asks ? advice('users who have forgotten their password get no e-mail', remedy) : null;
  return settings.defaultFrom.endsWith('@localhost')
    ? advice(`e-mails are sent as ${settings.defaultFrom}`, 'set EMAIL_FROM')
    : null;
}

/** Finds a storage of files that does not work, or that instances do not share. */
export function checkStorage({ config, storage, uploads, database }: Context): CheckResult {
  const { enabled, config: settings } = config.plugins.upload;
  if (!enabled) return null;
  const { provider: host } = settings.host;
  if (storage !== null)
    return problem(
      `${host === null ? `the storage ${settings.provider}` : `the upload provider ${host}`} does not work: ${storage}`,
      'correct plugins.upload.config.providerOptions',
    );
  if (uploads === null) return null;
  const machines = new Set((database?.instances ?? []).map(({ name }) => name.split(':')[0]));
  return [
    uploads.isWritable
      ? null
      : problem(`the folder of files ${uploads.path} cannot be written`, 'give it to the user of the service'),
    machines.size > 1
      ? problem(
          'files are stored on the disk of each instance, and there are several',
          'use gridfs or s3, or a folder that they share',
        )
      : null,
  ];
}

/** Finds backups that nobody makes. Those of other tools are not known. */
export function checkBackups({ backups, config: { backup } }: Context): CheckResult {
  if (backups === null)
    return advice('no backups are scheduled', 'set BACKUP_SCHEDULE, unless another tool makes backups of this database');
  const { to } = backup;
  if (backups.kind === 'refused') return problem(`the service does not start: ${backups.reason}`, 'correct BACKUP_SCHEDULE');
  if (backups.kind === 'unreadable')
    return problem(`the backups in ${to} cannot be read: ${backups.reason}`, 'correct BACKUP_TO');
  const made = backups.at?.toISOString() ?? '';
  if (backups.isOverdue) return problem(`the newest backup in ${to} is of ${made}`, 'read the log of the service');
  return backups.at === null ? advice(`there is no backup in ${to} yet`, 'look again after the first one is due') : null;
}

export const checkPanel = ({ config }: Context): CheckResult =>
  servesPanel(config) && !hasPanel(config)
    ? advice('the admin panel is not built', `${commandLine('panel build')}, or set admin.serveAdminPanel = false`)
    : null;

/** Hours that the oplog should reach back, so that streams of changes survive a maintenance. */
const wantedHours = 24;

/** Milliseconds after which a log of changes that was not written has no writer. */
const silence = 60_000;

/** Finds what makes clients of sync load everything anew. */
export function checkSync({ server, build, log, instances }: DatabaseFacts, { config, now }: Context): CheckResult {
  const synced = [...build.registry.types.values()].filter(isSynced);
  const { oplog, topology } = server;
  const late = log === null ? 0 : now.getTime() + server.ahead - log.written.getTime();
  if (synced.length === 0) return null;
  const names = nameSome(synced.map(({ uid }) => uid));
  if (topology === 'standalone')
    return problem(`${names} are synced, which needs a replica set`, 'make the server a replica set');
  return [
    late > silence && instances.length > 0
      ? problem(
          `no instance has written the log of changes for ${String(Math.round(late / 1e3))} s`,
          'read the log of the service',
        )
      : null,
    oplog?.isFull === true && oplog.hours < wantedHours
      ? advice(
          `the oplog reaches back ${oplog.hours.toFixed(1)} hours: after a longer stop all clients load everything anew`,
          'replSetResizeOplog to at least a day of writes',
        )
      : null,
    server.mayModify === false
      ? advice(
          'the user of MONGODB_URI may not run collMod: clients of sync whose role has a row rule begin anew after a deletion',
          'grant the role dbAdmin on the database',
        )
      : null,
    config.api.sync.retention < 86_400
      ? advice('api.sync.retention is less than a day', 'keep changes for as long as clients may be offline')
      : null,
  ];
}

export function checkWebhooks({ webhooks, server }: DatabaseFacts, { config }: Context): CheckResult {
  const enabled = webhooks.filter(({ isEnabled }) => isEnabled);
  const plain = enabled.filter(
    ({ url }) => URL.canParse(url) && new URL(url).protocol === 'http:' && !isPrivateHost(new URL(url)),
  );
  const disabled = webhooks.filter(({ disabledBecause }) => disabledBecause !== null);
  return [
    config.webhooks.allowPrivate
      ? advice('webhooks may call addresses of private networks', 'remove WEBHOOKS_ALLOW_PRIVATE if all receivers are public')
      : null,
    enabled.length > 0 && server.topology === 'standalone'
      ? problem('webhooks need a replica set: an event may be lost if an instance is killed', 'make the server a replica set')
      : null,
    plain.length > 0
      ? advice(`webhooks are sent without TLS: ${nameSome(plain.map(({ name }) => name))}`, 'use addresses with https')
      : null,
    disabled.length > 0
      ? advice(
          `webhooks were disabled: ${nameSome(disabled.map(({ name, disabledBecause }) => `${name} (${String(disabledBecause)})`))}`,
          'correct the receiver, then enable the webhook and replay its deliveries',
        )
      : null,
  ];
}

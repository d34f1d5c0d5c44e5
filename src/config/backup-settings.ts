import { group, maybeText, text, whole } from './setting.js';

/** The settings of config/backup: backups that the service makes itself. */
export const backupSettings = group({
  schedule: maybeText('When backups are made: a cron rule of five or six fields in UTC, such as `0 3 * * *`; none by default', {
    variable: 'BACKUP_SCHEDULE',
    minLength: 1,
  }),
  to: text('./data/backups', 'Folder of these backups, or `s3://bucket/prefix` with the settings of uploads', {
    variable: 'BACKUP_TO',
    minLength: 1,
  }),
  keep: whole(7, 'Number of these backups that are kept; older ones are deleted after each backup', {
    minimum: 1,
    variable: 'BACKUP_KEEP',
  }),
});

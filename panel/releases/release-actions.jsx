import { useIntl } from 'react-intl';
import { Box, IconButton, Typography } from '@strapi/design-system';
import { Cross } from '@strapi/icons';
import { EntryLink } from '../entry-link.jsx';
import { allOf, PagedTable } from '../paged-table.jsx';
import { label } from '../texts.js';

/** The actions of a release, each with a link to its entry and a button that removes it. */
export function ReleaseActions({ release, onRemove, disabled }) {
  const { formatMessage } = useIntl();
  const { actions, hidden } = release;
  const title = (name) => formatMessage(label(`release.${name}`));
  const remove = (action, index) =>
    disabled ? null : (
      <IconButton
        icon={<Cross />}
        label={formatMessage(label('release.removeEntry'), { entry: nameOf(action) })}
        onClick={() => onRemove(index)}
      />
    );
  const columns = [
    { title: title('entry'), show: (action) => <Entry {...action} /> },
    { title: title('action'), show: ({ action }) => title(action) },
    { title: title('status'), show: ({ status }) => title(status ?? 'gone') },
    { title: title('remove'), isHidden: true, show: remove },
  ];
  return (
    <Box>
      {(actions.length > 0 || hidden === 0) && (
        <PagedTable columns={columns} query={allOf(actions)} none={title('empty')} keyOf={({ uid, id }) => `${uid} ${id}`} />
      )}
      {hidden > 0 && <Typography>{formatMessage(label('release.hidden'), { count: hidden })}</Typography>}
    </Box>
  );
}

const nameOf = ({ label: name, uid, id }) => name ?? `${uid} ${id}`;

const Entry = ({ status, uid, id, locale, ...rest }) => (
  <Box>
    {status !== null && uid.startsWith('api::') ? (
      <EntryLink {...{ uid, id, locale }}>{nameOf({ ...rest, uid, id })}</EntryLink>
    ) : (
      <Typography>{nameOf({ ...rest, uid, id })}</Typography>
    )}
    <Typography variant="pi" textColor="neutral600" as="div">
      {[uid, id, locale].filter((part) => part !== null).join(' · ')}
    </Typography>
  </Box>
);

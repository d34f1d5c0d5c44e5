import { useState } from 'react';
import { useIntl } from 'react-intl';
import { Box, Button, Flex, Typography } from '@strapi/design-system';
import { ConfirmDialog, useNotification } from '@strapi/helper-plugin';
import { del, post } from '../client.js';
import { authorName } from '../authors.js';
import { byPage, messageOf, PagedTable, usePages } from '../paged-table.jsx';
import { label } from '../texts.js';
import { titleOf } from './title-of.ts';

/** Entries that are read at once. */
const pageSize = 25;

/** The deleted entries of a type, the newest first, which can be restored or deleted for good. */
export function DeletedEntries({ type }) {
  const { formatMessage } = useIntl();
  const path = `/admin/api/trash/${type.uid}`;
  const query = usePages(['mangrove-trash', path], path, byPage(pageSize));
  const { restore, end, isSending } = useActions(path, query.refetch);
  const [ending, setEnding] = useState(null);
  const close = () => setEnding(null);
  const columns = useColumns({ type, isSending, onRestore: restore, onEnd: setEnding });
  return (
    <Box paddingTop={4} aria-busy={query.isFetching}>
      <PagedTable columns={columns} query={query} none={formatMessage(label('trash.none'))} />
      <ConfirmDialog
        isOpen={ending !== null}
        onToggleDialog={close}
        onConfirm={() => end(ending).then(close)}
        isConfirmButtonLoading={isSending}
        title={label('trash.end')}
        bodyText={label('trash.confirm')}
        rightButtonText={label('trash.end')}
      />
    </Box>
  );
}

/** Returns what restores an entry or deletes it for good, and tells how that went. */
function useActions(path, refetch) {
  const { formatMessage } = useIntl();
  const toggleNotification = useNotification();
  const [isSending, setIsSending] = useState(false);
  const run = async (send) => {
    setIsSending(true);
    try {
      toggleNotification({ type: 'success', message: await send() });
    } catch (error) {
      toggleNotification({ type: 'warning', message: messageOf(error) });
    }
    await refetch();
    setIsSending(false);
  };
  const restore = (id) =>
    run(async () => {
      const { leftOut } = (await post(`${path}/${id}/restore`)).data.data;
      return formatMessage(label(leftOut.length === 0 ? 'trash.restored' : 'trash.partly'), { names: leftOut.join(', ') });
    });
  const end = (id) =>
    run(async () => {
      await del(`${path}/${id}`);
      return formatMessage(label('trash.ended'));
    });
  return { restore, end, isSending };
}

function useColumns({ type, isSending, onRestore, onEnd }) {
  const { formatMessage, formatDate } = useIntl();
  const title = (name) => formatMessage(label(`trash.${name}`));
  const time = (value) => formatDate(value, { dateStyle: 'medium', timeStyle: 'short' });
  const actions = ({ id }) => (
    <Flex gap={2} wrap="wrap">
      {type.mayRestore && (
        <Button variant="secondary" disabled={isSending} onClick={() => onRestore(id)}>
          {title('restore')}
        </Button>
      )}
      <Button variant="danger-light" disabled={isSending} onClick={() => onEnd(id)}>
        {title('end')}
      </Button>
    </Flex>
  );
  return [
    { title: title('entry'), show: ({ id, entry }) => <Entry type={type} id={id} entry={entry} /> },
    { title: title('deletedAt'), show: ({ deletedAt }) => time(deletedAt) },
    { title: title('deletedBy'), show: ({ deletedBy }) => authorName(deletedBy, formatMessage) },
    { title: title('actions'), isHidden: true, show: actions },
  ];
}

const Entry = ({ type, id, entry }) => (
  <Box style={{ overflowWrap: 'anywhere' }}>
    <Typography fontWeight="bold" as="h2">
      {titleOf(entry, type.attributes)}
    </Typography>
    <Typography variant="pi" textColor="neutral600" as="p">
      {[`id ${id}`, entry.locale].filter(Boolean).join(' · ')}
    </Typography>
  </Box>
);

import { useState } from 'react';
import { useIntl } from 'react-intl';
import { useInfiniteQuery } from 'react-query';
import { Box, Button, Flex, Typography } from '@strapi/design-system';
import { ConfirmDialog, useFetchClient, useNotification } from '@strapi/helper-plugin';
import { authorName } from '../authors.js';
import { label } from '../texts.js';
import { titleOf } from './title-of.ts';

/** Entries that are read at once. */
const pageSize = 25;

const messageOf = (error) => error.response?.data?.error?.message ?? String(error);

/** The deleted entries of a type, the newest first, which can be restored or deleted for good. */
export function DeletedEntries({ type }) {
  const { formatMessage } = useIntl();
  const path = `/admin/api/trash/${type.uid}`;
  const { rows, error, hasNextPage, fetchNextPage, isFetching, refetch } = useDeleted(path);
  const { restore, end, isSending } = useActions(path, refetch);
  const [ending, setEnding] = useState(null);
  const close = () => setEnding(null);
  return (
    <Box paddingTop={4} aria-busy={isFetching}>
      {error !== null && <Typography textColor="danger600">{messageOf(error)}</Typography>}
      {error === null && rows.length === 0 && !isFetching && <Typography>{formatMessage(label('trash.none'))}</Typography>}
      <Flex as="ul" direction="column" alignItems="stretch" gap={2}>
        {rows.map((row, index) => (
          <Deleted key={index} {...{ type, row, isSending }} onRestore={() => restore(row.id)} onEnd={() => setEnding(row.id)} />
        ))}
      </Flex>
      {hasNextPage && (
        <Box paddingTop={4}>
          <Button variant="secondary" onClick={() => fetchNextPage()} loading={isFetching}>
            {formatMessage(label('trash.more'))}
          </Button>
        </Box>
      )}
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

/** Returns the deleted entries, page by page. */
function useDeleted(path) {
  const { get } = useFetchClient();
  const read = async ({ pageParam: page = 1 }) => (await get(path, { params: { page, pageSize } })).data.data;
  const { data, ...query } = useInfiniteQuery(['mangrove-trash', path], read, {
    retry: false,
    getNextPageParam: (last, { length }) => (last.length < pageSize ? undefined : length + 1),
  });
  return { rows: data?.pages.flat() ?? [], ...query };
}

/** Returns what restores an entry or deletes it for good, and tells how that went. */
function useActions(path, refetch) {
  const { formatMessage } = useIntl();
  const { post, del } = useFetchClient();
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

function Deleted({ type, row: { id, deletedAt, deletedBy, entry }, isSending, onRestore, onEnd }) {
  const { formatMessage, formatDate } = useIntl();
  const time = formatDate(deletedAt, { dateStyle: 'medium', timeStyle: 'short' });
  const by = authorName(deletedBy, formatMessage);
  return (
    <Flex
      as="li"
      background="neutral0"
      shadow="tableShadow"
      hasRadius
      padding={4}
      gap={4}
      wrap="wrap"
      justifyContent="space-between"
    >
      <Box flex="1 1 12rem" style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        <Typography fontWeight="bold" as="h2">
          {titleOf(entry, type.attributes)}
        </Typography>
        <Typography variant="pi" textColor="neutral600" as="p">
          {[`id ${id}`, entry.locale, formatMessage(label('trash.deleted'), { time, by })].filter(Boolean).join(' · ')}
        </Typography>
      </Box>
      <Flex gap={2} wrap="wrap">
        {type.mayRestore && (
          <Button variant="secondary" disabled={isSending} onClick={onRestore}>
            {formatMessage(label('trash.restore'))}
          </Button>
        )}
        <Button variant="danger-light" disabled={isSending} onClick={onEnd}>
          {formatMessage(label('trash.end'))}
        </Button>
      </Flex>
    </Flex>
  );
}

import isEqual from 'lodash/isEqual';
import { useState } from 'react';
import { useIntl } from 'react-intl';
import { useQuery } from 'react-query';
import { Button, Flex, SingleSelect, SingleSelectOption, Typography } from '@strapi/design-system';
import { useAPIErrorHandler, useCMEditViewDataManager, useNotification } from '@strapi/helper-plugin';
import { post, read } from '../client.js';
import { authorName } from '../authors.js';
import { Dialog } from '../dialog.jsx';
import { label } from '../texts.js';
import { DifferenceList } from './difference-list.jsx';
import { differencesOf } from './differences.ts';

/** A dialog with what differs between a version and the entry as it is now, which can be restored. */
export function VersionDialog({ path, versions, more, first, updatedAt, onClose }) {
  const [chosen, setChosen] = useState(first);
  const { leftOut, isSending, restore } = useRestore(path, updatedAt);
  const isDone = leftOut !== null;
  const close = isDone ? () => window.location.reload() : onClose; // the form has the former values
  return (
    <Dialog
      id="mangrove-version"
      title="history.title"
      close={isDone ? 'history.open' : 'history.close'}
      onClose={close}
      action={!isDone && chosen !== versions[0].version && <Restore onClick={() => restore(chosen)} loading={isSending} />}
    >
      {isDone ? <Outcome leftOut={leftOut} /> : <Comparison {...{ path, versions, more, chosen, setChosen }} />}
    </Dialog>
  );
}

/** The button of those who may update the entry. What they have typed would be lost, so that it is saved or discarded before. */
function Restore(props) {
  const { formatMessage } = useIntl();
  const { updateActionAllowedFields, initialData, modifiedData } = useCMEditViewDataManager();
  if (updateActionAllowedFields.length === 0) return null;
  if (!isEqual(initialData, modifiedData)) return <Typography>{formatMessage(label('history.unsaved'))}</Typography>;
  return <Button {...props}>{formatMessage(label('history.restore'))}</Button>;
}

function Outcome({ leftOut }) {
  const { formatMessage } = useIntl();
  const text = leftOut.length === 0 ? 'history.restored' : 'history.partly';
  return <Typography>{formatMessage(label(text), { names: leftOut.join(', ') })}</Typography>;
}

/** The choice of a version, and what differs between it and the newest one. */
function Comparison({ path, versions, more, chosen, setChosen }) {
  const { formatMessage, formatDate } = useIntl();
  const nameOf = ({ version, at, by, action }) =>
    [
      formatMessage(label('history.version'), { version, action: formatMessage(label(`actions.${action}`)) }),
      formatDate(at, { dateStyle: 'medium', timeStyle: 'short' }),
      authorName(by, formatMessage),
    ].join(' · ');
  const choice = { label: formatMessage(label('history.choose')), value: String(chosen) };
  return (
    <Flex direction="column" alignItems="stretch" gap={4}>
      <SingleSelect
        {...choice}
        onChange={(value) => setChosen(Number(value))}
        onReachEnd={() => more.hasNextPage && !more.isFetching && more.fetchNextPage()}
      >
        {versions.map((one) => (
          <SingleSelectOption key={one.version} value={String(one.version)}>
            {nameOf(one)}
          </SingleSelectOption>
        ))}
      </SingleSelect>
      <Differences path={path} version={chosen} newest={versions[0].version} />
    </Flex>
  );
}

/** Returns a function that restores a version, and afterwards the names of what stayed as it was. */
function useRestore(path, updatedAt) {
  const toggleNotification = useNotification();
  const { formatAPIError } = useAPIErrorHandler();
  const [leftOut, setLeftOut] = useState(null);
  const [isSending, setIsSending] = useState(false);
  const restore = async (version) => {
    setIsSending(true);
    try {
      const { data } = await post(`${path}/${version}/restore`, { updatedAt });
      setLeftOut(data.data.leftOut);
    } catch (error) {
      toggleNotification({ type: 'warning', message: formatAPIError(error) });
    }
    setIsSending(false);
  };
  return { leftOut, isSending, restore };
}

function Differences({ path, version, newest }) {
  const { formatMessage } = useIntl();
  const { data: rows = null } = useQuery([path, version, newest], async () => {
    const [before, after] = await Promise.all([version, newest].map(async (one) => (await read(`${path}/${one}`)).entry));
    return differencesOf(before, after);
  });
  if (rows === null) return null;
  const [before, after, none] = ['then', 'now', 'same'].map((name) => formatMessage(label(`history.${name}`)));
  return <DifferenceList rows={rows} before={before} after={after} none={none} />;
}

import { useState } from 'react';
import { useIntl } from 'react-intl';
import { useQuery } from 'react-query';
import { Button, Flex, Status, TextButton, Typography } from '@strapi/design-system';
import { ConfirmDialog, useCMEditViewDataManager, useNotification } from '@strapi/helper-plugin';
import { post, read } from '../client.js';
import { addColumns } from '../columns.js';
import { Dialog } from '../dialog.jsx';
import { DifferenceList } from '../history/difference-list.jsx';
import { differencesOf } from '../history/differences.ts';
import { messageOf } from '../paged-table.jsx';
import { SideBox } from '../side-box.jsx';
import { label } from '../texts.js';

/** The draft beside a published entry, of types with `options.drafts`: in the side of its form, and a mark in lists. */
export const drafts = {
  name: 'drafts',
  zones: [['editView', 'informations', DraftBeside]],
  bootstrap: (app) => app.registerHook('Admin/CM/pages/ListView/inject-column-in-table', addMark),
};

/** Adds the column to the lists of these types. The panel has the state of the published entry in a column of its own. */
function addMark({ displayedHeaders, layout }) {
  if (layout.contentType.options?.drafts !== 'beside') return { displayedHeaders, layout };
  const column = {
    key: '__mangrove_draft_key__',
    name: '__hasDraft',
    fieldSchema: { type: 'boolean' },
    metadatas: { label: label('drafts.title').defaultMessage, searchable: false, sortable: false },
    cellFormatter: (row) => <DraftCell isThere={row.__hasDraft === true} />,
  };
  return { displayedHeaders: addColumns(displayedHeaders, [column]), layout };
}

function DraftCell({ isThere }) {
  const { formatMessage } = useIntl();
  if (!isThere) return <Typography textColor="neutral800">-</Typography>;
  return (
    <Status width="min-content" showBullet={false} variant="secondary" size="S">
      <Typography fontWeight="bold" textColor="secondary700">
        {formatMessage(label('drafts.modified'))}
      </Typography>
    </Status>
  );
}

function DraftBeside() {
  const { slug, initialData, isCreatingEntry, allLayoutData, readActionAllowedFields } = useCMEditViewDataManager();
  const { id, updatedAt } = initialData;
  const hasDrafts = allLayoutData.contentType?.options?.drafts === 'beside';
  if (isCreatingEntry || !hasDrafts || id === undefined || readActionAllowedFields.length === 0) return null;
  return <Draft path={`/admin/api/drafts/${slug}/${id}`} state={`${updatedAt} ${initialData.publishedAt}`} />;
}

/** `state` changes with each save and publication. */
function Draft({ path, state }) {
  const { formatMessage } = useIntl();
  const { updateActionAllowedFields } = useCMEditViewDataManager();
  const { data = null } = useQuery([path, state], () => read(path));
  const [opened, setOpened] = useState(null);
  if (data === null) return null;
  const close = () => setOpened(null);
  return (
    <SideBox title={formatMessage(label('drafts.title'))}>
      <Flex direction="column" alignItems="stretch" gap={3}>
        <Typography>{formatMessage(label('drafts.beside'))}</Typography>
        <TextButton onClick={() => setOpened('differences')}>{formatMessage(label('drafts.differences'))}</TextButton>
        {updateActionAllowedFields.length > 0 && (
          <Button variant="danger-light" fullWidth onClick={() => setOpened('discard')}>
            {formatMessage(label('drafts.discard'))}
          </Button>
        )}
      </Flex>
      {opened === 'differences' && <Differences {...data} onClose={close} />}
      <Discard path={path} isOpen={opened === 'discard'} onClose={close} />
    </SideBox>
  );
}

function Differences({ entry, draft, onClose }) {
  const { formatMessage } = useIntl();
  const [before, after, none] = ['published', 'draft', 'same'].map((name) => formatMessage(label(`drafts.${name}`)));
  const rows = differencesOf(entry, draft).filter(({ path }) => path !== 'publishedAt');
  return (
    <Dialog id="mangrove-draft" title="drafts.differences" close="drafts.close" onClose={onClose}>
      <DifferenceList rows={rows} before={before} after={after} none={none} />
    </Dialog>
  );
}

/** Asks whether the draft is dropped. The form is read anew afterwards, because it has the values of the draft. */
function Discard({ path, isOpen, onClose }) {
  const toggleNotification = useNotification();
  const [isSending, setIsSending] = useState(false);
  const discard = async () => {
    setIsSending(true);
    try {
      await post(`${path}/discard`);
      window.location.reload();
    } catch (error) {
      toggleNotification({ type: 'warning', message: messageOf(error) });
      setIsSending(false);
      onClose();
    }
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      isConfirmButtonLoading={isSending}
      onToggleDialog={onClose}
      onConfirm={discard}
      title={label('drafts.discard')}
      bodyText={label('drafts.confirm')}
      rightButtonText={label('drafts.discard')}
    />
  );
}

import { useState } from 'react';
import { useIntl } from 'react-intl';
import { useQuery } from 'react-query';
import { Button, Flex, TextButton, Typography } from '@strapi/design-system';
import { ConfirmDialog, useCMEditViewDataManager, useNotification } from '@strapi/helper-plugin';
import { post, read } from '../client.js';
import { Dialog } from '../dialog.jsx';
import { DifferenceList } from '../history/difference-list.jsx';
import { differencesOf } from '../history/differences.ts';
import { messageOf } from '../paged-table.jsx';
import { SideBox } from '../side-box.jsx';
import { label } from '../texts.js';

/** The draft beside a published entry in the side of its form, of types with `options.drafts`. */
export const drafts = { name: 'drafts', zones: [['editView', 'informations', DraftBeside]] };

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

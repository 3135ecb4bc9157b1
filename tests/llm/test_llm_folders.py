"""The settings lie in the folder of the system's user; another that the environment names is for the person alone."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest

from llm import folders
from llm.folders import UnsafeFolder

needs_posix = pytest.mark.skipif(os.name != "posix", reason="the bits of POSIX")
needs_root = pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root gives a folder away")


def test_the_own_folder_is_the_system_accounts_whatever_the_environment_says(monkeypatch):
    for name in ("HOME", "XDG_CONFIG_HOME", "APPDATA", "USERPROFILE", "CABECAO_CONFIG_DIR"):
        monkeypatch.setenv(name, "/tmp/outra")
    assert folders.own() == Path(pwd.getpwuid(os.getuid()).pw_dir) / ".config" / "cabecao"


def test_a_user_without_an_account_has_no_folder_of_their_own(monkeypatch):
    def unknown(_user):
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert not folders.own().exists()


@pytest.mark.parametrize("name", ["CABECAO_CONFIG_DIR", "XDG_CONFIG_HOME", "HOME"])
def test_a_folder_that_the_environment_names_is_not_the_users_own(name, own_folder, tmp_path):
    found = folders.place({name: str(tmp_path)})
    assert not found.is_own
    assert found.folder.is_relative_to(tmp_path)


@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"XDG_CONFIG_HOME": ""}, {"XDG_CONFIG_HOME": "relative"}])
def test_an_environment_that_names_nothing_leaves_the_users_own(environ, own_folder):
    found = folders.place(environ)
    assert found.is_own
    assert found.folder == own_folder


def test_an_environment_that_spells_the_users_own_out_redirects_nothing(own_folder, own_home):
    for environ in (
        {"HOME": str(own_home)},
        {"XDG_CONFIG_HOME": f"{own_home}/./.config"},
        {"CABECAO_CONFIG_DIR": f"{own_folder}/"},
    ):
        assert folders.place(environ).is_own


def test_a_link_to_the_users_own_folder_is_not_followed_again_later(own_folder, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(own_folder)
    found = folders.place({"CABECAO_CONFIG_DIR": str(link)})
    assert found.is_own
    link.unlink()
    link.symlink_to(tmp_path)
    assert found.folder == own_folder


@needs_posix
@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777, 0o1777])
def test_a_folder_that_others_may_change_is_refused(mode, tmp_path):
    folder = tmp_path / "config"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(UnsafeFolder) as raised:
        folders.check(folder)
    assert raised.value.folder == Path(os.path.realpath(folder))
    with pytest.raises(UnsafeFolder):
        folders.make(folder)


@needs_posix
def test_a_folder_that_others_could_put_another_in_place_of_is_refused(tmp_path):
    above = tmp_path / "above"
    folder = above / "config"
    folder.mkdir(parents=True)
    above.chmod(0o777)
    with pytest.raises(UnsafeFolder) as raised:
        folders.check(folder)
    assert raised.value.folder == Path(os.path.realpath(above))
    above.chmod(0o1777)  # as /tmp: others may add, and not take away
    folders.check(folder)


@needs_posix
def test_the_folder_behind_a_link_is_the_one_that_is_checked(tmp_path):
    above = tmp_path / "open"
    (above / "config").mkdir(parents=True)
    above.chmod(0o777)
    (tmp_path / "link").symlink_to(above / "config")
    with pytest.raises(UnsafeFolder):
        folders.check(tmp_path / "link")


@needs_root
def test_a_folder_of_another_user_is_refused(tmp_path):
    folder = tmp_path / "config"
    folder.mkdir(mode=0o700)
    os.chown(folder, 54321, 54321)
    with pytest.raises(UnsafeFolder):
        folders.check(folder)


@needs_posix
def test_a_new_folder_is_closed_whatever_the_mask_is(tmp_path):
    before = os.umask(0)
    try:
        folders.make(tmp_path / "a" / "config")
    finally:
        os.umask(before)
    assert (tmp_path / "a" / "config").stat().st_mode & 0o777 == 0o700
    assert not (tmp_path / "a").stat().st_mode & 0o022


def test_a_folder_that_is_not_there_and_one_below_a_file_are_no_fault_of_others(tmp_path):
    (tmp_path / "file").write_text("")
    folders.check(tmp_path / "nowhere" / "config")
    folders.check(tmp_path / "file" / "config")

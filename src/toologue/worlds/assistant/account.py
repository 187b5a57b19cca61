"""Accounts: register, log in and out, look users up, change passwords and contact data.

Tables: `Account` (username → row), `VerificationCode`, `Session`.
"""

from __future__ import annotations

import re
from typing import Any

from toologue.errors import ToolError
from toologue.worlds.assistant.desk import ADDRESS, SUCCESS, Desk, check
from toologue.worlds.store import Row

_PHONE = r"^\d{3}-\d{3}-\d{4}$"


def change_password(desk: Desk, /, session_token: Any, old_password: Any, new_password: Any) -> dict[str, Any]:
    """Replace the password of whoever is logged in."""
    account = _own(desk, session_token)
    check(account["password"] == old_password, "The old password is incorrect.")
    _save(desk, account, password=new_password)
    return SUCCESS


def delete_account(desk: Desk, /, session_token: Any, password: Any) -> dict[str, Any]:
    """Delete the account row and end the session; mails, events and the like stay."""
    account = _own(desk, session_token)
    check(account["password"] == password, "The password is incorrect.")
    desk.store.delete("Account", account["username"])
    desk.store.delete("VerificationCode", account["username"])
    desk.log_out()
    return SUCCESS


def get_account_information(desk: Desk, /, session_token: Any) -> dict[str, Any]:
    """Return the own account without its password."""
    return {"user": _public(_own(desk, session_token))}


def logout_user(desk: Desk, /, session_token: Any) -> dict[str, Any]:
    """End the session."""
    desk.owner(session_token)
    desk.log_out()
    return SUCCESS


def query_user(desk: Desk, /, session_token: Any, username: Any = None, email: Any = None) -> dict[str, Any]:
    """Find users by name or address; a username wins over an address."""
    desk.owner(session_token)
    if username is None and email is None:
        raise ToolError("You need to provide at least one of username and email.")
    if username is not None:
        account = desk.store.get("Account", username)
        return {"users": [] if account is None else [_public(account)]}
    accounts = desk.store.rows("Account").values()
    return {"users": [_public(account) for account in accounts if account["email"] == email]}


def register_user(
    desk: Desk, /, username: Any, password: Any, email: Any, name: Any = None, phone: Any = None
) -> dict[str, Any]:
    """Open an account and log it in."""
    check(desk.store.get("Account", username) is None, "The username already exists.")
    check(re.match(ADDRESS, email), "The email format is invalid.")
    check(phone is None or re.match(_PHONE, phone), "The phone number format is invalid.")
    account = {"username": username, "email": email, "phone": phone, "name": name, "password": password}
    token = desk.draw("RegisterUser", 8, 4, 4)
    desk.store.put("Account", username, account)
    desk.log_in(username, token)
    return {"session_token": token, "user": _public(account)}


def reset_password(desk: Desk, /, username: Any, verification_code: Any, new_password: Any) -> dict[str, Any]:
    """Replace a password with the help of the code that was sent."""
    account, sent = _account(desk, username), desk.store.get("VerificationCode", username)
    check(sent is not None and sent["code"] == verification_code, "The verification code is incorrect.")
    _save(desk, account, password=new_password)
    return SUCCESS


def send_verification_code(desk: Desk, /, username: Any, email: Any) -> dict[str, Any]:
    """Send a code to the address of an account. The code itself is not returned."""
    check(_account(desk, username)["email"] == email, "The email is incorrect.")
    desk.store.put("VerificationCode", username, {"code": desk.draw("SendVerificationCode")})
    return SUCCESS


def update_account_information(
    desk: Desk,
    /,
    session_token: Any,
    password: Any,
    new_email: Any = None,
    new_phone_number: Any = None,
    new_name: Any = None,
) -> dict[str, Any]:
    """Change address, phone and name. A valid address is kept even where the phone number then fails."""
    account = _own(desk, session_token)
    check(account["password"] == password, "The password is incorrect.")
    if new_email is None and new_phone_number is None:
        raise ToolError("You need to provide at least one of new_email and new_phone_number.")
    if new_email is not None:
        check(re.match(ADDRESS, new_email), "The email is invalid.")
        account = _save(desk, account, email=new_email)
    if new_phone_number is not None:
        check(re.match(_PHONE, new_phone_number), "The phone number is invalid.")
        account = _save(desk, account, phone=new_phone_number)
    if new_name is not None:
        _save(desk, account, name=new_name)
    return SUCCESS


def user_login(desk: Desk, /, username: Any, password: Any) -> dict[str, Any]:
    """Start a session."""
    check(_account(desk, username)["password"] == password, "The password is incorrect.")
    token = desk.draw("UserLogin", 8, 4, 4)
    desk.log_in(username, token)
    return {"session_token": token}


def _account(desk: Desk, username: Any, missing: str = "The username does not exist.") -> Row:
    account = desk.store.get("Account", username)
    if account is None:
        raise ToolError(missing)
    return account


def _own(desk: Desk, session_token: Any) -> Row:
    return _account(desk, desk.owner(session_token), "Invalid session_token.")


def _save(desk: Desk, account: Row, **changes: Any) -> Row:
    changed = {**account, **changes}
    desk.store.put("Account", account["username"], changed)
    return changed


def _public(account: Row) -> dict[str, Any]:
    return {field: account[field] for field in ("username", "email", "phone", "name")}

//go:build !linux

package main

func filePages() uint64 { return 0 }

func returnFilePages() {}

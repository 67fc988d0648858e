package instr_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"path/filepath"
	"time"

	"pfsd/instr"
)

// A file class opens files that are used like those of package os, and counts the operations on
// each.
func ExampleFileClass() {
	r := instr.NewRegistry()
	segments := r.NewFileClass("store/segment") // wait/io/file/store/segment

	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "000012.seg")
	f, err := segments.Create(name)
	if err != nil {
		panic(err)
	}
	fmt.Fprint(f, "hello")
	f.Seek(0, io.SeekStart)
	b, _ := io.ReadAll(f)
	f.Close()

	in := r.Reader().FileByName(name)
	s := in.IO()
	fmt.Printf("%s: %s in %d reads, %d bytes written in %d, %d other operations, open %d times\n",
		in.Class().Name(), b, s.Read.Count, s.WriteBytes, s.Write.Count, s.Misc.Count, in.OpenCount())
	// Output: wait/io/file/store/segment: hello in 2 reads, 5 bytes written in 1, 3 other operations, open 0 times
}

// A listener's connections are used like those of package net.
func ExampleListener() {
	r := instr.NewRegistry()
	r.Setup().AddPattern("wait/io/socket/%", instr.PatternOn)
	l, err := r.Listen("tcp", "127.0.0.1:0", "web/listener")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	l.SetConnClass("web/client")
	go func() {
		c, err := net.Dial("tcp", l.Addr().String())
		if err == nil {
			io.WriteString(c, "hello")
			c.Close()
		}
	}()
	c, err := l.AcceptConn()
	if err != nil {
		panic(err)
	}
	b, _ := io.ReadAll(c)
	c.Close()
	web := r.Reader().ClassByName("wait/io/socket/web/client")
	fmt.Printf("%s: %s, %d bytes received\n", web.Name(), b, web.IO().ReadBytes)
	// Output: wait/io/socket/web/client: hello, 5 bytes received
}

// A File is used like an *os.File; its operations are counted as soon as they have ended.
func ExampleFile() {
	r := instr.NewRegistry()
	name := filepath.Join(os.TempDir(), fmt.Sprint("example-", os.Getpid()))
	f, err := r.NewFileClass("store/journal").Create(name)
	if err != nil {
		panic(err)
	}
	defer os.Remove(name)
	for _, line := range []string{"begin\n", "commit\n"} {
		if _, err := f.WriteString(line); err != nil {
			panic(err)
		}
	}
	if err := f.Sync(); err != nil {
		panic(err)
	}
	if err := f.Close(); err != nil {
		panic(err)
	}
	s := r.Reader().ClassByName("wait/io/file/store/journal").IO()
	fmt.Printf("%d bytes in %d writes; %d others: create, sync, close\n", s.WriteBytes, s.Write.Count, s.Misc.Count)
	// Output: 13 bytes in 2 writes; 3 others: create, sync, close
}

// The functions of package os are there by name, for files that need no class of their own.
func ExampleOS() {
	dir, err := instr.OS().MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	fmt.Println(instr.OS().Class().Name())
	// Output: wait/io/file/os/file
}

// A ListenConfig and a Dialer have the options of package net, and make sockets that are watched.
func ExampleDialer() {
	r := instr.NewRegistry()
	listen := instr.ListenConfig{Name: "web/client", Registry: r} // wait/io/socket/web/client
	l, err := listen.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	d := instr.Dialer{Dialer: net.Dialer{Timeout: time.Second}, Name: "web/upstream", Registry: r} // wait/io/socket/web/upstream
	c, err := d.Dial("tcp", l.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.RemoteAddr().String() == l.Addr().String(), c.Close())
	// Output: true <nil>
}
